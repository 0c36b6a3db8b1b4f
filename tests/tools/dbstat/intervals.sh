#!/bin/bash
# ring: first
# shares: postgres
source "$(dirname "$0")/../../lib.sh"
need_command psql

# With -i, each interval shows only its own statements: no statement is counted twice.
start_postgres
psql() { "$postgres_bin/psql" -qAtX -h "$postgres_dir" -U postgres "$@"; }
run_tool dbstat postgres -p "$postgres_pid" -i 0.2 --json
psql -c 'select 1' >"$T/out"
wait_for "grep -q '\"count\":1' '$tool_out'" 30
psql -c 'select 2' -c 'select 3' >"$T/out"
wait_for "[ \"\$(grep -o 'ms\",\"count\":[0-9]*' '$tool_out' | awk -F: '{ n += \$2 } END { print n }')\" = 3 ]" 30
stop_tool INT
expect_status 0
expect_equal "$(grep -o 'ms","count":[0-9]*' "$tool_out" | awk -F: '{ n += $2 } END { print n }')" 3

# Without statements, dbstat says so.
run_tool dbstat postgres -p "$postgres_pid" -d 0.1
stop_tool
expect_status 0
expect_line 'no statements seen' "$tool_err"
