#!/bin/bash
# alone: a statement has to take less than 20 ms
source "$(dirname "$0")/../lib.sh"

# A MariaDB with a thread pool can put a command aside and end it later, by another thread, while the first one serves
# another connection (a fixture does it): each has its own text, and all of its time.
for tool in dbslower dbstat; do
	mkfifo "$T/go.$tool"
	exec 8<>"$T/go.$tool"
	stdin=$T/go.$tool start_target_and_wait "$TARGETS/mysql-suspend"
	if [ "$tool" = dbslower ]; then
		run_tool dbslower mysql -p "$target_pid" -m 0 -M 3
	else
		run_tool dbstat mysql -p "$target_pid" -m 20 --json
	fi
	echo >&8
	wait_for "grep -q done $target_out" 20
	stop_tool INT
	expect_status 0
	if [ "$tool" = dbslower ]; then
		expect_equal "$(awk 'NR > 2 { print $NF, ($3 >= 20) }' "$tool_out")" "quick 0
slow 1
next 0"
	else
		expect_line '"count":1[,}]' "$tool_out"
	fi
done
