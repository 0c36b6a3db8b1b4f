#!/bin/bash
# ring: first
# shares: mysql reads
source "$(dirname "$0")/../../lib.sh"

# A database server's reads next to a scan of files.
start_mariadb
run_tool readlat --by-type
mariadb --no-defaults -S "$mariadb_socket" -e 'select count(*) from information_schema.tables' >"$T/out"
"$TARGETS/reads" read:3000 >"$T/out"
clients_gone
stop_tool INT
expect_status 0
expect_line '^comm = mariadb(d|-.*)?, type = socket$' "$tool_out"
expect_line '^comm = reads, type = regular file$' "$tool_out"
expect_line 'count: 3000$' "$tool_out"
