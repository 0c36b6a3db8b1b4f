#!/bin/bash
# alone: it uses all processors
# run: when named
# privileges: none
# timeout: 600
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# Two minutes from nothing. `make check` does the same for the scripts that an edit concerns.

need_command shellcheck
make -s lint-shell
