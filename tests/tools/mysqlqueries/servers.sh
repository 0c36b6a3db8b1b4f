#!/bin/bash
# shares: mysql
source "$(dirname "$0")/../../lib.sh"

# Without PROGRAM and -p: servers in other roots, and those that start later; killing a server while
# it is traced does not affect the others. With PROGRAM: every process that runs it.
mkfifo "$T/go" "$T/go2"
exec 7<>"$T/go2" 8<>"$T/go"
mkdir -p "$T/container/bin" "$T/host"
cp "$TARGETS/mysql-com-data" "$T/container/bin/mysqld"
cp "$TARGETS/mysql-packet" "$T/host/mariadbd"
for library in $(ldd "$TARGETS/mysql-com-data" | grep -o '/[^ ]*'); do
	install -D "$library" "$T/container$library"
done
stdin=$T/go start_target_and_wait chroot "$T/container" /bin/mysqld
first=$target_pid
run_tool mysqlqueries --command query
stdin=$T/go2 start_target "$T/host/mariadbd"
second=$target_pid
shown() { grep -c "^[0-9:.]* $1 .* select 1$" "$tool_out"; } # PID
wait_for "echo >&7; [ \"\$(shown $second)\" != 0 ]" 20
echo >&8
wait_for "[ \"\$(shown $first)\" = 1 ]" 10
kill -KILL "$first"
count=$(shown "$second")
echo >&7
wait_for "[ \"\$(shown $second)\" != $count ]" 10
stop_tool INT
expect_status 0
expect_count 0 . "$tool_err"

run_tool mysqlqueries "$T/host/mariadbd" --command query
stdin=$T/go start_target_and_wait "$T/host/mariadbd"
echo >&7
echo >&8
wait_for "[ \"\$(shown $second)\" = 1 ] && [ \"\$(shown $target_pid)\" = 1 ]" 10
stop_tool TERM
expect_status 0
