#!/bin/bash
# shares: mysql
source "$(dirname "$0")/../../lib.sh"

# A server that starts a thread for each connection (many-connections has 70,000 of a
# fixture): the kernel side keeps nothing of ended threads, and no statement is missed.
need_command python3
start_mariadb --thread-cache-size=0
connections=${CONNECTIONS_EACH:-150}
churn() { python3 "$ROOT/tests/targets/scripts/mysql-clients.py" "$mariadb_socket" 4 "$connections" 'select %d' >"$T/out"; }
run_tool mysqlqueries -p "$mariadb_pid" --json --buffer 64M --match 'select '
churn
before=$(kernel_bytes)
churn
churn
expect_flat "$before"
clients_gone
stop_tool INT
expect_status 0
expect_equal "$(grep -cE '"query":"select [0-9]+"' "$tool_out")" $((connections * 4 * 3))
expect_count 0 '"lost"|"failed"|"open"' "$tool_out"
