#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# A user stack that leads through code with names only in a perf map.
start_target_and_wait "$TARGETS/jit"
at_exit "rm -f /tmp/perf-$target_pid.map"
run_tool trace -M 1 -U -p "$target_pid" "$TARGETS/jit:called_by_jit"
stop_tool
expect_status 0
expect_line '^        called_by_jit\+0x[0-9a-f]+ \[jit\]$' "$tool_out"
expect_line '^        Octi::fest\(\)\+0x[0-9a-f]+' "$tool_out"
expect_line '^        main\+0x[0-9a-f]+ \[jit\]$' "$tool_out"
