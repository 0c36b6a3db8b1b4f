#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/language.bash"

# A language that tells of no allocations.
start_python_worker
run "$BIN/uobjnew" -l python "$target_pid"
expect_status 1
expect_line 'CPython has no probe for allocations \(-l c counts the blocks that it takes from malloc\)$' "$tool_err"
