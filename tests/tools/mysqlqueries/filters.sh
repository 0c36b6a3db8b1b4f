#!/bin/bash
# ring: first
# shares: mysql
source "$(dirname "$0")/../../lib.sh"

# --command, --match, --regex and --min show only matching statements. --digest merges statements
# that differ only in their values, and shows how many failed.
start_mariadb
sql() { mariadb --no-defaults -S "$mariadb_socket" --force >"$T/out" 2>&1 <"$T/sql"; }
cat >"$T/sql" <<'END'
select 'alpha';
select "beta";
SELECT  'gamma';
select sleep(0.02);
select * from mysql.none where a = 1;
select * from mysql.none where a = 2;
END
texts() { awk 'NR > 1' "$1" | sed -E 's/^([^ ]+ +){5}//'; }

run_tool mysqlqueries -p "$mariadb_pid" --command query --match "ph" --match "mm"
by_match=$tool_pid match_out=$tool_out
run_tool mysqlqueries -p "$mariadb_pid" --regex "'(beta|gamma)'" --regex "none.*= 2"
by_regex=$tool_pid regex_out=$tool_out
run_tool mysqlqueries -p "$mariadb_pid" --command quit,COM_PING
by_command=$tool_pid command_out=$tool_out
run_tool mysqlqueries -p "$mariadb_pid" --min 19.5 --match sleep
by_min=$tool_pid min_out=$tool_out
run_tool mysqlqueries -p "$mariadb_pid" --digest --json --sort count
sql
clients_gone
stop_tool INT
expect_status 0
for pid in $by_match $by_regex $by_command $by_min; do
	kill -INT "$pid"
	wait "$pid" || fail "status $?"
done
expect_equal "$(texts "$match_out")" "ok     Query    select 'alpha'
ok     Query    SELECT  'gamma'"
expect_equal "$(texts "$regex_out" | head -n 1)" "ok     Query    SELECT  'gamma'"
expect_equal "$(texts "$regex_out" | tail -n 1)" "1146   Query    select * from mysql.none where a = 2"
expect_count 2 ' (ok|1146) ' "$regex_out"
expect_equal "$(texts "$command_out")" "ok     Quit"
expect_equal "$(texts "$min_out")" "ok     Query    select sleep(0.02)"

expect_line '^\{"time_ns":[0-9]+,"count":3,.*"errors":0,"query":"select \?"\}$' "$tool_out"
expect_line '^\{"time_ns":[0-9]+,"count":2,.*"errors":2,"query":"select \* from mysql.none where a = \?"\}$' "$tool_out"
expect_line '^\{"time_ns":[0-9]+,"count":1,.*"errors":0,"query":"select sleep\(\?\)"\}$' "$tool_out"
expect_line '^\{"time_ns":[0-9]+,"count":1,.*"errors":0,"query":"\(Quit\)"\}$' "$tool_out"
expect_equal "$(head -n 1 "$tool_out" | jq .count)" 3
