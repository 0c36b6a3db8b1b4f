#!/bin/bash
# shares: postgres
source "$(dirname "$0")/../../lib.sh"
need_command psql

# As in BCC, uses the server's USDT probes: they report statements of the simple protocol, also of
# clients that connect later.
start_postgres
psql() { "$postgres_bin/psql" -qAtX -h "$postgres_dir" -U postgres "$@"; }
run_tool dbslower postgres -p "$postgres_pid" -m 0 --usdt
psql -c 'select 1' -c 'select 2' >"$T/out"
psql -c 'select 3' >"$T/out"
clients_gone
stop_tool INT
expect_status 0
expect_equal "$(awk 'NR > 1 { print $4, $5 }' "$tool_out")" $'select 1\nselect 2\nselect 3'
