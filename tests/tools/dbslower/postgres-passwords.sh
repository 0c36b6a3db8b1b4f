#!/bin/bash
# shares: postgres
source "$(dirname "$0")/../../lib.sh"

# No line and no object has a password, unless an option asks for it. The other statements can be
# executed as they are shown.
start_postgres
psql() { "$postgres_bin/psql" -qAtX -h "$postgres_dir" -U postgres "$@"; }
run_tool dbslower postgres -p "$postgres_pid" -m 0
line_pid=$tool_pid line_out=$tool_out
run_tool dbslower postgres -p "$postgres_pid" -m 0 --show-secrets
open_pid=$tool_pid open_out=$tool_out
run_tool dbslower postgres -p "$postgres_pid" -m 0 --json
psql -c "create role r login password 'hush-1' connection limit 5" -c "alter role r password E'\\'hush-2'" \
	-c "alter role r encrypted password \$\$hush-3\$\$" \
	-c "select set_config('app.password', 'hush-4', false)" -c "set app.password to 'hush-5'" \
	-c "do \$\$ begin execute format('alter role r password %L', 'hush-6'); end \$\$" \
	-c "do \$\$ begin execute 'alter role r password ' || quote_literal('hush-7'); end \$\$" >/dev/null
psql \
	-c "select 'a\\', 'O''Brien', '
', 'x' -- more
from pg_am" >"$T/out"
clients_gone
stop_tool INT
expect_status 0
for pid in $line_pid $open_pid; do
	kill -INT "$pid"
	wait "$pid" || fail "status $?"
done
expect_count 7 'hush' "$open_out"
expect_no_line 'hush' "$line_out"
expect_no_line 'hush' "$tool_out"
expect_line "create role r login password '<secret>' connection limit 5$" "$line_out"
expect_count 7 '"masked":true' "$tool_out"
statement=$(sed -n 's/.*\(select .*Brien.*\)/\1/p' "$line_out")
expect_equal "$statement" "select 'a\\', 'O''Brien', E'\\n', 'x' /* more */ from pg_am"
expect_equal "$(psql -c "$statement")" "$(cat "$T/out")"
