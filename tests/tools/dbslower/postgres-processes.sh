#!/bin/bash
# shares: postgres
source "$(dirname "$0")/../../lib.sh"
need_command psql

# -p with the server's PID traces present and future clients; -p with a backend's PID only that
# client. Database and user are known even if the backend started before the tool.
start_postgres
psql() { "$postgres_bin/psql" -qAtX -h "$postgres_dir" "$@"; }
psql -U postgres -c 'create role "app one" login' -c 'create database "the shop"'

for name in first second; do
	mkfifo "$T/$name"
	"$postgres_bin/psql" -qAtX -h "$postgres_dir" -U 'app one' -d 'the shop' <"$T/$name" >"$T/$name.out" &
done
exec 7>"$T/first" 8>"$T/second"
at_exit 'exec 7>&- 8>&-' # ends the two clients
echo 'select pg_backend_pid();' >&7
echo 'select pg_backend_pid();' >&8
wait_for "[ -s '$T/first.out' ] && [ -s '$T/second.out' ]" 30
first=$(cat "$T/first.out") second=$(cat "$T/second.out")

run_tool dbslower postgres -p "$postgres_pid" -m 0 --json
all_pid=$tool_pid all_out=$tool_out
run_tool dbslower -p "$first" -m 0 -M 1 --json postgres
echo "select 'of the second';" >&8
wait_for "grep -q second '$T/second.out'" 30
echo "select 'of the first';" >&7
stop_tool
expect_status 0
expect_count 1 "\"pid\":$first,.*\"database\":\"the shop\",\"user\":\"app one\",\"query\":\"select 'of the first';\"" \
	"$tool_out"

psql -U 'app one' -d 'the shop' -c "select 'of the third'" >"$T/out"
tool_pid=$all_pid tool_out=$all_out
wait_for "[ \$(grep -c '\"user\":\"app one\"' '$tool_out') -ge 3 ]" 20
stop_tool TERM
expect_status 0
expect_count 3 '"database":"the shop","user":"app one"' "$tool_out"
expect_count 1 "\"pid\":$second,.*\"query\":\"select 'of the second';\"" "$tool_out"
expect_count 1 "\"query\":\"select 'of the third'\"" "$tool_out"

# If the machine shows its kernel threads (a container may hide them), none of them counts as a
# server.
for name in dbslower dbstat; do
	[ "$(cat /proc/2/comm 2>/dev/null)" = kthreadd ] || continue
	run "$BIN/$name" postgres -L 2
	expect_status 1
	expect_equal "$(cat "$tool_out")" ''
	expect_equal "$(wc -l <"$tool_err")" 1
	expect_line "^$name: process 2 is a kernel thread" "$tool_err"
done
