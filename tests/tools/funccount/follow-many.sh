#!/bin/bash
# timeout: 400
# alone: it starts 40,000 processes, so PIDs are soon reused
source "$(dirname "$0")/../../lib.sh"

# -F: 40,000 processes of the tree come and go; one that has existed all the time is still counted.
mkfifo "$T/churn" "$T/last"
exec 7<>"$T/churn" 8<>"$T/last"
start_target sh -c "'$TARGETS/churn' stay <'$T/churn' & sh -c 'echo waits; read -r line; \"$TARGETS/flood\" 1 7; echo last' <'$T/last' & exec sleep 100"
wait_for "[ \"\$(grep -cE 'waits|ready' '$target_out')\" = 2 ]" 10
run_tool funccount -F -p "$target_pid" "$TARGETS/churn:stay" "$TARGETS/flood:flood" --json
for count in 1000 39000; do
	echo "processes $count" >&7
	wait_for "[ \"\$(grep -c done '$target_out')\" = $((count == 1000 ? 1 : 2)) ]" 120
	[ "$count" != 1000 ] || before=$(kernel_bytes)
done
expect_flat "$before"
echo go >&8
wait_for "grep -q last '$target_out'" 10
stop_tool INT
expect_status 0
expect_line '"func":"stay","count":40000}' "$tool_out"
expect_line '"func":"flood","count":7}' "$tool_out"
