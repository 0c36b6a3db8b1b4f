#!/bin/bash
# alone: a statement has to take less than 20 ms
source "$(dirname "$0")/../../lib.sh"

# MariaDB's thread pool can suspend a command and end it later in another thread, while the first
# thread serves another connection (a small program does the same here): each command is shown with
# its own text and its full time. (tests/measured/dbslower-suspended checks that the time is not
# longer.)
for tool in dbslower dbstat; do
	mkfifo "$T/go.$tool"
	exec 8<>"$T/go.$tool"
	stdin=$T/go.$tool start_target_and_wait "$TARGETS/mysql-suspend"
	if [ "$tool" = dbslower ]; then
		run_tool dbslower mysql -p "$target_pid" -m 0 -M 3
	else
		run_tool dbstat mysql -p "$target_pid" --json
	fi
	echo >&8
	wait_for "grep -q done $target_out" 20
	stop_tool INT
	expect_status 0
	if [ "$tool" = dbslower ]; then
		expect_equal "$(awk 'NR > 1 { print $NF }' "$tool_out" | xargs)" 'quick slow next'
		expect_equal "$(awk '$NF == "slow" { print ($3 ~ /[0-9]s$/ || ($3 ~ /ms$/ && $3 + 0 >= 20)) }' "$tool_out")" 1
	else
		expect_line '"count":3,.*"max":([2-9][0-9]|[0-9]{3,})[,}]' "$tool_out"
	fi
done
