#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
need_command psql

# Without an argument, dbslower detects the kind of server (mysql or postgres) if only one kind
# runs.
start_postgres
run_tool dbslower -p "$postgres_pid" -m 0
"$postgres_bin/psql" -X -q -h "$postgres_dir" -U postgres -c 'select 1 as found' >/dev/null
wait_for "grep -q 'select 1 as found' '$tool_out'" 10
stop_tool INT
expect_status 0
