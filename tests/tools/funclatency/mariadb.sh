#!/bin/bash
# ring: first
# shares: mysql
source "$(dirname "$0")/../../lib.sh"

# A C++ function of a server under load, by its source name; each statement makes one call.
start_mariadb
run_tool funclatency -u -p "$mariadb_pid" mariadbd:dispatch_command
printf 'select %s;\n' {1..500} | mariadb --no-defaults -S "$mariadb_socket" >"$T/answers"
expect_equal "$(mariadb --no-defaults -S "$mariadb_socket" -Ne 'select 42')" 42
clients_gone
stop_tool INT
expect_status 0
count=$(sed -n 's/^avg = .*count: //p' "$tool_out")
[ "$count" -ge 500 ] && [ "$count" -lt 520 ] || fail "$count calls"
