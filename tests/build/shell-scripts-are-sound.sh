#!/bin/bash
# alone: it uses all processors
# privileges: none
# timeout: 600
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

need_command shellcheck
make -s lint-shell
