#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/flow.bash"

# CPython 3.11, whose probe of entries never fires.
need_python_3_11
need_command jq
flow_python "${python_program[@]}"
