#!/bin/bash
# shares: mysql postgres
source "$(dirname "$0")/../../lib.sh"

# Every tool shows statements that have not ended when the tool ends as unfinished; several
# statements in one packet are counted.
start_mariadb
start_postgres
sql() { mariadb --no-defaults -S "$mariadb_socket" "$@"; }
psql() { "$postgres_bin/psql" -qAtX -h "$postgres_dir" -U postgres "$@"; }
tools=()
tool() { # TOOL ARG…
	run_tool "$@"
	tools+=("$tool_pid")
}
tool dbslower mysql -p "$mariadb_pid" -m 100ms -w
my=$tool_out
tool dbslower postgres -p "$postgres_pid" -m 0 --json
pg=$tool_out
tool mysqlqueries -p "$mariadb_pid" --json --command query
all=$tool_out
tool mysqlqueries -p "$mariadb_pid" --digest --command query
digest=$tool_out digest_err=$tool_err
tool dbstat postgres -p "$postgres_pid" -m 50ms --json
stat=$tool_out
printf 'delimiter $$\nselect 1; select 2; select 3$$\n' | sql >"$T/out"
psql -c 'select 1; select 2' >"$T/out"
sql -e 'select sleep(100)' >"$T/my" 2>&1 &
my_client=$!
psql -c 'select pg_sleep(100)' >"$T/pg" 2>&1 &
pg_client=$!
wait_for '[ -n "$(sql -N -e "select id from information_schema.processlist where info = '"'select sleep(100)'"' and time > 0")" ]' 20
wait_for '[ -n "$(psql -c "select pid from pg_stat_activity where query = '"'select pg_sleep(100)'"' and state = '"'active'"'")" ]' 20
for tool_pid in "${tools[@]}"; do
	kill -INT "$tool_pid"
	wait "$tool_pid" || fail "status $?"
done
kill "$my_client" "$pg_client"
wait "$my_client" "$pg_client" || true
expect_line ' query +open +- +root +select sleep\(100\) \[had not ended\]$' "$my"
expect_line '"kind":"query",.*"query":"select pg_sleep\(100\)","open":true\}$' "$pg"
expect_count 1 '"open"' "$pg"
expect_line '"query":"select sleep\(100\)","length":17,"open":true\}$' "$all"
expect_count 1 '"open"' "$all"
expect_line '"query":"select 1; select 2; select 3","length":28,"statements":3\}$' "$all"
expect_line '"query":"select 1; select 2","statements":2\}$' "$pg"
expect_line '1 statement had not ended and is not counted' "$digest_err"
expect_no_line sleep "$digest"
expect_line '^\{"type":"statements","time_ns":[0-9]+,"open":1\}$' "$stat"
