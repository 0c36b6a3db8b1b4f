#!/bin/bash
# shares: mysql
source "$(dirname "$0")/../../lib.sh"
need_command jq

# --digest --tag counts statements separately that differ in a tag of their comment, and only those.
start_mariadb
query() { mariadb --no-defaults -c -S "$mariadb_socket" -e "$1" >"$T/out"; }
run_tool mysqlqueries -p "$mariadb_pid" --digest --tag controller --command query
text_pid=$tool_pid text_out=$tool_out
run_tool mysqlqueries -p "$mariadb_pid" --digest --tag controller --command query --json
for i in 1 2 3; do
	query "select $i + 1 /*controller='my%20shops',trace='$i'*/"
done
query "select 5 + 1 /*controller='users'*/"
query "select 6 + 1 /* controller */"
clients_gone
stop_tool INT
expect_status 0
expect_equal "$(jq -r 'select(.query == "select ? + ?") | "\(.count) \(.tag)"' "$tool_out" | sort -n)" $'1 null\n1 users\n3 my shops'
tool_pid=$text_pid tool_out=$text_out
stop_tool INT
expect_line ' ERRORS TAG +QUERY$' "$tool_out"
expect_line '^ +3 .* my shops +select \? \+ \?$' "$tool_out"
expect_line '^ +1 .* - +select \? \+ \?$' "$tool_out"
