#!/bin/bash
# ring: first
# shares: mysql
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../mysql.bash"

# An execution has the text of its statement, by connection, also if --command hides the
# preparation; executions of statements prepared before the tool started are marked.
need_mysql_client
start_mariadb
mkfifo "$T/go"
exec 8<>"$T/go"
stdin=$T/go start_target_and_wait "$TARGETS/mysql-client" "$mariadb_socket" prepare 'select ? + 100' wait 0 execute 1 \
	prepare 'select ? * 2' execute 3 prepare 'selec' prepare 'select ?, ? * 2' execute 1 close 0
run_tool mysqlqueries -p "$mariadb_pid"
echo >&8
wait_for "! alive $target_pid" 20
run_tool mysqlqueries -p "$mariadb_pid" --command execute
first_out=$T/tool1.out
client prepare 'select 7, ?' execute 2 query 'select 1'
clients_gone
stop_tool INT
expect_status 0
expect_equal "$(awk 'NR > 1' "$tool_out" | sed -E 's/^([^ ]+ +){5}//')" "ok     Execute  select 7, ?
ok     Execute  select 7, ?"

wait_for "grep -q 'select 1$' '$first_out'" 10
expect_line '^[0-9:]{8}\.[0-9]{6} [0-9]+ +[0-9]+ +[0-9]+ +[0-9.]+[num]?s ok +Execute +#1 \[prepared before tracing began\]$' "$first_out"
expect_count 1 ' ok +Prepare  select \? \* 2$' "$first_out"
expect_count 3 ' ok +Execute  select \? \* 2$' "$first_out"
expect_count 1 ' 1064 +Prepare  selec$' "$first_out"
expect_count 1 ' ok +Execute  select \?, \? \* 2$' "$first_out"
expect_count 1 ' ok +Close stmt #4$' "$first_out"
