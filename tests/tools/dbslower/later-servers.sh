#!/bin/bash
# shares: postgres mysql
source "$(dirname "$0")/../../lib.sh"

# Without -p and -x, the tool also traces servers that start later, and those whose program file
# replaces the first one.
run_tool dbslower postgres -m 0 --json
slow_pid=$tool_pid slow_out=$tool_out
run_tool dbstat postgres --json -i 0.5
start_postgres
ask() { "$postgres_bin/psql" -h "$postgres_dir" -U postgres -q -A -t -c "$1" >"$T/out"; }
seen() { grep -c '"database":"postgres","user":"postgres","query":"select 42"' "$slow_out"; }
wait_for 'ask "select 42"; [ "$(seen)" -ge 1 ] && grep -q "\"count\":[1-9]" "$tool_out"' 20
stop_tool INT
expect_status 0
expect_line '"count":[1-9]' "$tool_out"
tool_pid=$slow_pid tool_out=$slow_out
stop_tool INT
expect_status 0

# The first line of output says so and names the servers that already run (other tests may have
# some).
for minimum in 0 2; do
	run_tool dbslower postgres -m "$minimum"
	stop_tool INT
	expect_status 0
	expect_line "^Tracing database queries for pids ([0-9]+, )*$postgres_pid(, [0-9]+)* and servers that start later\
$([ "$minimum" = 0 ] || echo ', slower than 2 ms') … Press Ctrl-C to end\.\$" "$tool_announced"
done

mkfifo "$T/go"
exec 8<>"$T/go"
run_tool dbslower mysql -m 0 --json
for _ in 1 2; do
	cp "$TARGETS/mysql-packet" "$T/mysqld"
	stdin=$T/go start_target_and_wait "$T/mysqld"
	wait_for "echo >&8; grep -q 'pid\":$target_pid,.*select 1' '$tool_out'" 20
	kill -KILL "$target_pid"
	wait "$target_pid" || true
	rm "$T/mysqld" # the next server is a new file
done
stop_tool INT
expect_status 0

# -x with the path does not trace processes that run the replaced file, and says so; -x with
# /proc/PID/exe traces them.
cp "$TARGETS/mysql-packet" "$T/mysqld"
stdin=$T/go start_target_and_wait "$T/mysqld"
cp "$TARGETS/mysql-packet" "$T/new"
mv "$T/new" "$T/mysqld"
run_tool dbslower mysql -m 0 -x "$T/mysqld"
stop_tool INT
expect_status 0
expect_line "^dbslower: $T/mysqld was replaced on disk; processes that still run the old file are not traced \(use -p to trace them\): $target_pid$" "$tool_err"
run_tool dbslower mysql -m 0 -x "/proc/$target_pid/exe"
wait_for "echo >&8; grep -q ' $target_pid .* select 1' '$tool_out'" 20
stop_tool INT
expect_status 0
