#!/bin/bash
# shares: postgres
source "$(dirname "$0")/../../lib.sh"

# --digest for PostgreSQL: statements that differ only in their values are one row, with errors,
# also prepared ones. --top and --sort choose rows; -i starts anew each interval and reports an
# empty one.
start_postgres
psql() { "$postgres_bin/psql" -qAtX -h "$postgres_dir" -U postgres "$@"; }
run_tool dbslower postgres -p "$postgres_pid" -m 0 --digest --json --sort count
all_pid=$tool_pid all_out=$tool_out
run_tool dbslower postgres -p "$postgres_pid" -m 0 --digest --top 1 -i 0.3
for i in 1 2 3; do
	psql -c "select $i, 'a' from pg_am where amname = \$\$x$i\$\$" -c "select nosuch$i" >"$T/out" 2>&1 || true
done
echo 'select :id::int /* c */ , cast(2 as text);' >"$T/sql"
pgbench -h "$postgres_dir" -U postgres -n -t 4 -M prepared -f "$T/sql" -D id=7 postgres >"$T/out" 2>&1
wait_for "grep -q '  no statements$' '$tool_out'" 10
stop_tool INT
expect_status 0
expect_line '^ +[0-9]+ .* select ' "$tool_out"
# Below the time limit nothing is printed; otherwise a header with one row.
expect_equal "$(grep -c ' QUERY$' "$tool_out")" "$(grep -cE '^ +[0-9]+ +[0-9.]+[num]?s ' "$tool_out")"
kill -INT "$all_pid"
wait "$all_pid" || fail "status $?"
expect_line '^\{"time_ns":[0-9]+,"count":3,.*"errors":0,"query":"select \?, \? from pg_am where amname = \?"\}$' "$all_out"
expect_line '"count":1,.*"errors":1,"query":"select nosuch1"\}$' "$all_out"
expect_line '"count":4,.*"errors":0,"query":"select \?::int, cast\(\? as text\)"\}$' "$all_out"
expect_equal "$(head -n 1 "$all_out" | jq .count)" 4
