#!/bin/bash
# timeout: 300
source "$(dirname "$0")/../../lib.sh"

# 70,000 threads with connections are started and end: every statement is shown, and the maps of the
# kernel side keep nothing of ended ones.
connections=70000
mkfifo "$T/go"
exec 8<>"$T/go"
stdin=$T/go start_target_and_wait "$TARGETS/mysql-churn" $((connections / 10))
run_tool mysqlqueries -p "$target_pid" --json --buffer 64M
for round in {1..10}; do
	echo >&8
	wait_for "[ \"\$(grep -c done '$target_out')\" = $round ]" 60
	[ "$round" -gt 1 ] || before=$(kernel_bytes)
done
expect_flat "$before"
stop_tool INT
expect_status 0
expect_equal "$(grep -c '"query":"select 1"' "$tool_out")" "$connections"
expect_count 0 '"lost"' "$tool_out"
