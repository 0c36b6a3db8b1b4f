#!/bin/bash
# ring: first
# shares: mysql
source "$(dirname "$0")/../../lib.sh"

# A C++ function of a stripped server by its demangled name: the SQL text.
start_mariadb
run_tool trace -p "$mariadb_pid" 'mariadbd:dispatch_command "%d %s" arg1, arg3'
mariadb --no-defaults -S "$mariadb_socket" -e "select 'octi', 42"
wait_for "grep -q 'select .octi., 42' '$tool_out'" 10
stop_tool INT
expect_status 0
expect_line "^$mariadb_pid +[0-9]+ +[a-z_]+ +dispatch_command +3 select 'octi', 42$" "$tool_out"

# With a length, and a condition that it is a query.
run_tool trace -p "$mariadb_pid" 'mariadbd:dispatch_command (arg1 == 3) "%s" str(arg3, arg4)'
mariadb --no-defaults -S "$mariadb_socket" -e "select 1"
wait_for "grep -q 'select 1' '$tool_out'" 10
stop_tool TERM
expect_status 0
expect_line 'dispatch_command +select 1$' "$tool_out"
