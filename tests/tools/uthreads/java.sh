#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# Java's threads with their names and both IDs; no flag is needed.
start_java_worker -Xint
run_tool uthreads "$target_pid"
work threads
wait_for "[ \$(grep -c ' stop ' '$tool_out') = 5 ]" 20
stop_tool TERM
expect_status 0
for i in 0 1 2 3 4; do
	expect_count 1 "^[0-9:.]+ +R=[0-9]+/N=[0-9]+ +start +octi-$i\$" "$tool_out"
	expect_count 1 "^[0-9:.]+ +R=[0-9]+/N=[0-9]+ +stop +octi-$i\$" "$tool_out"
done
