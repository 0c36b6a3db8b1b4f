#!/bin/bash
# alone: it fills the records of one processor
source "$(dirname "$0")/../lib.sh"

# The stack of a program that has ended has its names, also when the tool comes late - here it is stopped - and many others
# were started before on that processor: the kernel's records of what they mapped wait for it.
run_tool trace -U "$TARGETS/values:factorial"
kill -STOP "$tool_pid"
taskset -c 0 bash -c 'for ((i = 0; i < 100; i++)); do /bin/true; done; exec "$1"' bash "$TARGETS/values" >/dev/null
kill -CONT "$tool_pid"
stop_tool INT
expect_status 0
expect_line '^ +main\+0x[0-9a-f]+ \[values\]$' "$tool_out"
expect_line '^ +_start\+0x[0-9a-f]+ \[values\]$' "$tool_out"
expect_no_line 'unknown|\[cut' "$tool_out"
