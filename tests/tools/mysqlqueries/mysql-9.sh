#!/bin/bash
# shares: mysql sid
source "$(dirname "$0")/../../lib.sh"

# MySQL 9: statements and errors of both its protocols, with users and databases.
need_command python3
debian_root sid mysql-server-core
start_mysql
sql() { mariadb --no-defaults -u root -S "$mysql_socket" "$@"; }
run_tool mysqlqueries -p "$mysql_pid" --json --command query
printf '%s;\n' "select 'classic'" selec 'select * from mysql.none' |
	sql --force >"$T/out" 2>&1 || true
python3 "$ROOT/tests/targets/scripts/mysql-x.py" "$mysql_socket.x" "select 'x'" 'selec' 'select * from mysql.none' \
	"create user eve identified by 'hush'" >"$T/x"
expect_equal "$(cat "$T/x")" $'ok\n1064 42000\n1146 42S02\nok'
# A client whose connection is killed does not receive the error.
sql -e 'select sleep(100)' >"$T/out" 2>&1 &
id=
wait_for 'id=$(sql -N -e "select id from information_schema.processlist where info like \"select sleep%\"") && [ -n "$id" ]' 20
sql -e "kill connection $id"
wait $! || true
wait_for "grep -q 'select sleep(100)' '$tool_out'" 20
clients_gone
stop_tool INT
expect_status 0
expect_equal "$(jq -r 'select(.query | test("@@|secret|processlist|SHOW WARNINGS|^kill") | not) | "\(.error) \(.sqlstate // "-") \(.query)"' "$tool_out")" \
	"0 - select 'classic'
1064 42000 selec
1146 42S02 select * from mysql.none
0 - select 'x'
1064 42000 selec
1146 42S02 select * from mysql.none
1160 08S01 select sleep(100)"
expect_no_line hush "$tool_out"
