#!/bin/bash
# timeout: 300
# shares: mysql postgres
source "$(dirname "$0")/../../lib.sh"

# Runs command lines from the examples of BCC's tools for servers; only names are adapted.
traced() { # TOOL ARG…
	run_tool "$@"
	stop_tool INT
	expect_status 0
}
start_mariadb
traced_pid=$mariadb_pid
traced dbslower mysql
traced dbslower mysql -m 1000
traced dbslower mysql -p "$traced_pid"
traced dbslower mysql -m 0
traced dbslower mysql -p "$traced_pid" -m 30
traced dbslower mysql -p "$traced_pid" -v
traced dbslower mysql -x "$(command -v mariadbd)"
traced dbstat mysql
traced dbstat mysql -m 1000
traced dbstat mysql -p "$traced_pid" -i 3

# mysqld_qslower PID [MS] is a name of the program, and a link to it.
mkdir -p "$T"/installed/bin
cp "$BIN/uscope" "$T/installed/bin"
ln -s uscope "$T/installed/bin/mysqld_qslower"
for threshold in '' 0.1 0; do
	# shellcheck disable=SC2086 # nothing, or one word
	BIN=$T/installed/bin run_tool mysqld_qslower "$traced_pid" $threshold
	mariadb --no-defaults -S "$mariadb_socket" -e 'select sleep(0.05)' >"$T/client"
	wait_for "grep -q sleep $tool_out" 30
	stop_tool INT
	expect_status 0
	expect_count 1 "^[0-9:.]+ +$traced_pid +(([5-9][0-9]|[0-9]{3})(\.[0-9]+)?m|[0-9.]+)s +select sleep\(0\.05\)$" "$tool_out"
done
traced uscope mysqld_qslower "$traced_pid" 10

start_postgres
traced dbslower postgres
traced dbslower postgres -p "$postgres_pid" "$(pgrep -P "$postgres_pid" | head -n 1)"
