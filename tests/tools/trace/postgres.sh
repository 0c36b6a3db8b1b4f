#!/bin/bash
# ring: first
# shares: postgres
source "$(dirname "$0")/../../lib.sh"

# A backend that starts after the tracer: traced by its file, and with -F of the postmaster.
start_postgres
run_tool trace "u:$postgres_bin/postgres:query__start \"%s\" arg1"
"$postgres_bin/psql" -qAt -h "$postgres_dir" -U postgres -c "select 'octi'" >/dev/null
wait_for "grep -q octi '$tool_out'" 10
stop_tool INT
expect_status 0
expect_line "postgres +query__start +select 'octi'$" "$tool_out"

run_tool trace -F -p "$postgres_pid" 'u:postgres:query__start "%s" arg1'
"$postgres_bin/psql" -qAt -h "$postgres_dir" -U postgres -c "select 'fest'" >/dev/null
wait_for "grep -q fest '$tool_out'" 10
stop_tool INT
expect_status 0
expect_line "query__start +select 'fest'$" "$tool_out"
