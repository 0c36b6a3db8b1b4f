#!/bin/bash
# Statistical: statements that do nothing take less than 20 ms.
source "$(dirname "$0")/../lib.sh"

# A suspended command is ended later by another thread: commands of other connections only have their own time.
for tool in 'mysqlqueries -M 3' 'dbslower mysql -m 0 -M 3' 'dbstat mysql -m 20 --json'; do
	mkfifo "$T/go"
	exec 8<>"$T/go"
	stdin=$T/go start_target_and_wait "$TARGETS/mysql-suspend"
	# shellcheck disable=SC2086 # words
	run_tool $tool -p "$target_pid"
	echo >&8
	wait_for "grep -q done $target_out" 20
	stop_tool INT
	expect_status 0
	case $tool in
	mysqlqueries*) expect_equal "$(awk 'NR > 1 { print $NF, ($5 ~ /[0-9]s$/ || ($5 ~ /ms$/ && $5 + 0 >= 20)) }' "$tool_out" | xargs)" 'quick 0 slow 1 next 0' ;;
	dbslower*) expect_equal "$(awk 'NR > 1 { print $NF, ($3 ~ /[0-9]s$/ || ($3 ~ /ms$/ && $3 + 0 >= 20)) }' "$tool_out" | xargs)" 'quick 0 slow 1 next 0' ;;
	*) expect_line '"count":1[,}]' "$tool_out" ;;
	esac
	exec 8>&-
	stop_target KILL
	rm "$T/go"
done
