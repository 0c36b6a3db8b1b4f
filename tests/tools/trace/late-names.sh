#!/bin/bash
# alone: it fills the records of one CPU
source "$(dirname "$0")/../../lib.sh"

# The stack of a program that has ended has names, even if the tool is late (here it is stopped) and
# many other programs were started before on that CPU: the kernel's records of their mappings wait
# for it.
run_tool trace -U "$TARGETS/values:factorial"
kill -STOP "$tool_pid"
taskset -c 0 bash -c 'for ((i = 0; i < 100; i++)); do /bin/true; done; exec "$1"' bash "$TARGETS/values" >/dev/null
kill -CONT "$tool_pid"
stop_tool INT
expect_status 0
expect_line '^ +main\+0x[0-9a-f]+ \[values\]$' "$tool_out"
expect_line '^ +_start\+0x[0-9a-f]+ \[values\]$' "$tool_out"
expect_no_line 'unknown|\[cut' "$tool_out"
