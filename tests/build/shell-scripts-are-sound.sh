#!/bin/bash
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

need_command shellcheck
make -s lint-shell
