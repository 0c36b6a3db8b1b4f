#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# The stacks of processes that ended long before their events are read.
run_tool trace -U --comm short-lived "$TARGETS/short-lived:work"
for _ in 1 2 3 4 5; do
	"$TARGETS/short-lived"
done
wait_for "[ \"\$(grep -cE ' work( |$)' '$tool_out')\" -ge 5 ]" 10
stop_tool INT
expect_status 0
expect_count 5 '^        work\+0x[0-9a-f]+ \[short-lived\]$' "$tool_out"
expect_count 5 '^        main\+0x[0-9a-f]+ \[short-lived\]$' "$tool_out"
