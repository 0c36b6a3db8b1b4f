#!/bin/bash
# timeout: 300
source "$(dirname "$0")/../../lib.sh"

# 70,000 threads and connections come and go: every statement is shown, and what the kernel side
# remembers of them does not grow.
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
