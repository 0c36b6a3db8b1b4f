#!/bin/bash
# shares: postgres
source "$(dirname "$0")/../../lib.sh"
need_command psql

# BCC's lines; truncated texts are marked; control characters are escaped; only slow statements.
start_postgres -c log_min_duration_statement=0
psql() { "$postgres_bin/psql" -qAtX -h "$postgres_dir" -U postgres "$@"; }
run_tool dbslower postgres -x "$postgres_bin/postgres" -m 200 -M 2 -Z 40
wide_out=$tool_out wide_err=$tool_err slow_pid=$tool_pid
child=$(pgrep -oP "$postgres_pid")
run_tool dbslower postgres "$child" -p "$postgres_pid" -M 3 -m 0 -w -Z 40
psql -c 'select 1' -c $'select\t2, \'\e[2J\'' -c "select 3, '$(printf '%060d' 0)'" >"$T/out"
stop_tool
expect_status 0
expect_equal "$(cat "$tool_announced")" "Tracing database queries for pids $postgres_pid, $child … Press Ctrl-C to end."
expect_equal "$(sed -n 1p "$tool_out")" \
	'TIME            PID      LATENCY KIND    STATUS DATABASE        USER            QUERY'
line='^[0-9:]{8}\.[0-9]{6} +[0-9]+ +[0-9.]+[num]?s query   ok     postgres        postgres        '
expect_count 3 "$line" "$tool_out"
expect_line "${line}select 1\$" "$tool_out"
expect_line "${line}select 2, '.x1b\[2J'\$" "$tool_out"
expect_line "${line}select 3, '00000000000000000000000000000\.\.\.\$" "$tool_out"

psql -c 'select 4' -c 'select pg_sleep(0.2)' -c 'select 5' -c 'select pg_sleep(0.3)' >"$T/out"
tool_pid=$slow_pid tool_out=$wide_out tool_err=$wide_err
stop_tool
expect_status 0
expect_equal "$(cat "$tool_announced")" \
	"Tracing database queries for application $postgres_bin/postgres slower than 200 ms … Press Ctrl-C to end."
expect_equal "$(sed -n 1p "$tool_out")" 'TIME            PID      LATENCY QUERY'
expect_equal "$(awk 'NR > 1 { print $4, $5 }' "$tool_out")" $'select pg_sleep(0.2)\nselect pg_sleep(0.3)'
