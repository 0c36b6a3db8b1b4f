#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/mysql.bash"

# What is shown is what the server's own general log has, statement for statement: none is lost, none doubled.
need_command python3
need_mysql_client
start_mariadb
start_general_log
run_tool mysqlqueries -p "$mariadb_pid" --json
client query "select 'it''s'" query 'selec 1' query 'create database d' \
	query 'create table d.t (a int primary key)' query 'insert into d.t values (1), (2)' \
	query $'select a -- comment\nfrom\td.t' load 8x500
mariadb --no-defaults -S "$mariadb_socket" d -e "select 1; begin; insert into t values (3); commit; select count(*) from t" >"$T/out"
general_log >"$T/log"
stop_tool INT
expect_status 0
statements_of "$tool_out" | grep -v ' Quit ' >"$T/shown"
grep -v ' Quit ' "$T/log" >"$T/logged"
[ "$(wc -l <"$T/logged")" -ge 4010 ] || fail "the log has only $(wc -l <"$T/logged") lines"
diff "$T/logged" "$T/shown" >"$T/diff" || fail "$(head -n 20 "$T/diff")"
expect_count 0 . "$tool_err"
