#!/bin/bash
# ring: first
# shares: mysql
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# Functions of a C++ server by their demangled names: counts statements by text, and measures each
# kind of command.
start_mariadb
for _ in 1 2 3; do echo "select 'octi';"; done >"$T/sql"
echo "select 'fest';" >>"$T/sql"
run_tool argdist -i 1000 -p "$mariadb_pid" \
	-C 'p:mariadbd:dispatch_command(int command, void *thd, char *packet, unsigned length):char*:str(packet, length):command == 3' \
	-H 'r:mariadbd:dispatch_command(int command):int,u64:$entry(command),$latency:$entry(command) == 3'
mariadb --no-defaults -S "$mariadb_socket" <"$T/sql" >"$T/out"
clients_gone
stop_tool INT
expect_status 0
expect_equal "$(rows | grep -E 'octi|fest')" "1 str(packet, length) = select 'fest'
3 str(packet, length) = select 'octi'"
expect_equal "$(buckets | awk '{ sum += $3 } END { print sum }')" "$(rows | awk '{ sum += $1 } END { print sum }')"
