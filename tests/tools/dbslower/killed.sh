#!/bin/bash
# alone: it kills a tool, and any tool that starts next would remove the leftover probes
source "$(dirname "$0")/../../lib.sh"
need_command psql

# After the tool is killed, the server continues. After the server is killed, the tool ends normally
# and shows what it traced before.
start_postgres
psql() { "$postgres_bin/psql" -qAtX -h "$postgres_dir" -U postgres "$@"; }
run_tool dbslower postgres -p "$postgres_pid" -m 0
expect_equal "$(psql -c 'select 1')" 1
stop_tool KILL
expect_equal "$(psql -c 'select 2')" 2

run_tool dbslower postgres -p "$postgres_pid" -m 0
psql -c 'select 3' >"$T/out"
psql -c 'select pg_sleep(1000)' >"$T/out" 2>&1 &
wait_for "[ \"\$(psql -c \"select count(*) from pg_stat_activity where query like '%pg_sleep(1000)' and pid <> pg_backend_pid()\")\" = 1 ]" 30
backends=$(pgrep -P "$postgres_pid")
kill -KILL "$postgres_pid"
stop_tool
expect_status 0
expect_line ' select 3$' "$tool_out"
expect_no_line 'pg_sleep\(1000\)$' "$tool_out"
# shellcheck disable=SC2086 # several
kill -KILL $backends 2>/dev/null || true
