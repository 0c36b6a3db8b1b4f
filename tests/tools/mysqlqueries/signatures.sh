#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# The function signatures of other servers, with fixtures that export the same functions with the
# same layouts: MySQL up to 5.6, MariaDB 10.2 to 10.5, MySQL since 5.7. They are stripped, as in
# distributions.
mkfifo "$T/go"
exec 8<>"$T/go"
for fixture in mysql-packet mysql-packet-multi mysql-com-data; do
	strip -o "$T/$fixture" "$TARGETS/$fixture"
	stdin=$T/go start_target_and_wait "$T/$fixture"
	run_tool mysqlqueries -p "$target_pid" -M 7
	echo >&8
	stop_tool
	expect_status 0
	expect_count 0 . "$tool_err"
	expect_equal "$(awk 'NR > 1 { $1 = $5 = ""; print }' "$tool_out" | tr -s ' ')" "$(
		for row in 'ok Init DB test' 'ok Query select 1' '1064 Query selec 1' 'ok Prepare select ?' \
			'ok Execute select ?' 'ok Ping' 'ok Quit'; do
			echo " $target_pid $target_pid 42 $row"
		done
	)"
	stop_target KILL
done
