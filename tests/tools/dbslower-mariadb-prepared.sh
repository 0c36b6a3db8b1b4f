#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/mysql.bash"

# An execution has the text of its statement, and the error of what failed; whose they are is shown. dbstat counts them
# by user and database.
need_mysql_client
start_mariadb
mariadb --no-defaults -S "$mariadb_socket" -e "create database shop; create user app; grant all on *.* to app"
mkfifo "$T/go"
exec 8<>"$T/go"
stdin=$T/go start_target_and_wait "$TARGETS/mysql-client" "$mariadb_socket" prepare 'select ? + 100' wait 0 execute 1 \
	prepare 'select ? * 2' execute 3 prepare 'selec'
run_tool dbslower mysql -p "$mariadb_pid" -m 0 -w
slow_pid=$tool_pid slow_out=$tool_out
run_tool dbstat mysql -p "$mariadb_pid" -u --by-user --by-database --json
echo >&8
wait_for "! alive $target_pid" 20
mariadb --no-defaults -S "$mariadb_socket" -u app shop -e 'select 1; select nosuch' >"$T/out" 2>&1 || true
stop_tool INT
expect_status 0
expect_equal "$(sed -E 's/.*"database":("[a-z]*"|null),"user":"([a-z]*)".*"count":([0-9]+),"sum".*/\1 \2 \3/' "$tool_out" | sort)" \
	$'"shop" app 2\nnull root 4'
tool_pid=$slow_pid tool_out=$slow_out
stop_tool INT
expect_status 0
expect_equal "$(awk 'NR > 2 { $1 = $2 = $3 = ""; print }' "$tool_out" | sed 's/^ *//')" \
	'execute ok - root [prepared before tracing began]
execute ok - root select ? * 2
execute ok - root select ? * 2
execute ok - root select ? * 2
prepare 1064 - root selec
query ok shop app select 1
query 1054 shop app select nosuch'
