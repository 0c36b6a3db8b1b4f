#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# Each is one line that names the thing and the way out.
wrong() { # STATUS REGEX ARG…
	local status=$1 regex=$2
	shift 2
	for name in dbslower dbstat; do
		run "$BIN/$name" "$@"
		expect_status "$status"
		expect_count 1 '' "$tool_err"
		expect_line "$regex" "$tool_err"
		expect_count 0 '' "$tool_out"
	done
}
wrong 2 'which server: mysql or postgres\?'
wrong 2 'the server is mysql or postgres, not "oracle"' oracle
wrong 2 'mysql or postgres, not "12"' postgres 12
wrong 2 '^[a-z]*: one kind of server at a time: mysql, and then postgres$' mysql postgres
wrong 2 '"-1" is not a time' postgres -m -1
wrong 2 '"1e13" is not a time \(250us, 1.5ms, 2s\)' postgres -m 1e13
wrong 2 '--steps is about PostgreSQL' mysql --steps
wrong 1 'no process 999999999' postgres -p 999999999
[ "$(cat /proc/2/comm 2>/dev/null)" != kthreadd ] || wrong 1 '^[a-z]*: 2 is a thread of the kernel' postgres -L 2
wrong 1 '/bin/true has no pq_getbyte\(\)' postgres -x /bin/true
wrong 1 'PostgresMain\(\) does not call pq_getbyte\(\)' postgres -x "$TARGETS/postgres_inlined"
wrong 1 'postgresql:query__done|has no USDT probes' postgres --usdt -x /bin/true
run "$BIN/dbslower" postgres -x /bin/true -M 0
expect_status 2
expect_line '-M 0 would show nothing' "$tool_err"
run "$BIN/dbslower" postgres -x /bin/true --buffer 1K
expect_status 2
expect_line 'dbslower: --buffer takes 128K to 1024M' "$tool_err"
run "$BIN/dbstat" mysql -x "$TARGETS/mysql-com-data" --by-user
expect_status 1
expect_line "mysql-com-data has no thd_user_name\(\) that tells where a connection's user is" "$tool_err"
run "$BIN/dbstat" mysql -x "$TARGETS/mysql-com-data" --by-database --usdt
expect_status 2
expect_line "MySQL's USDT probes do not tell whose statements they are" "$tool_err"
run "$BIN/dbslower" postgres -x /bin/true --digest -w
expect_status 2
expect_line '-w is about the lines of statements' "$tool_err"
