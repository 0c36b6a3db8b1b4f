#!/bin/bash
# ring: first
# shares: redis
source "$(dirname "$0")/../../lib.sh"

# By time, in the kernel; by command and by key; and a digest of the rest.
start_redis --enable-debug-command yes
cli() { redis-cli -s "$redis_socket" "$@"; }
tools=() outs=()
start_tool() {
	run_tool rediscommands -p "$redis_pid" "$@"
	tools+=("$tool_pid") outs+=("$tool_out")
}
start_tool -m 50000
start_tool -c GET,set --key 'nothing' --key 'user:*' -M 3
start_tool --digest
start_tool --digest --json -c get
for i in 1 2 3 4 5; do
	echo "set user:$i $i"
	echo "get user:$i"
	echo "get other:$i"
	echo "lpush user:list $i"
done | cli >"$T/out"
cli debug sleep 0.06 >"$T/out"
clients_gone
for i in 0 1 2 3; do
	tool_pid=${tools[$i]}
	stop_tool "$([ "$i" = 1 ] && echo CONT || echo INT)"
	expect_status 0
done
expect_count 2 '' "${outs[0]}"
expect_line ' debug sleep 0.06$' "${outs[0]}"
expect_equal "$(awk 'NR > 1 { print $6, $7, $8 }' "${outs[1]}")" $'set user:1 1\nget user:1 \nset user:2 2'
expect_line '^    COUNT    TOTAL      AVG      P50      P99      MAX  ERRORS COMMAND$' "${outs[2]}"
expect_equal "$(awk '$8 == "get" || $8 == "set" || $8 == "lpush" { print $1, $8 }' "${outs[2]}" | sort -k 2)" \
	$'10 get\n5 lpush\n5 set'
expect_line '^\{"time_ns":[0-9]+,"count":10,"total_ns":[0-9]+,.*"command":"get"\}$' "${outs[3]}"
expect_count 1 '' "${outs[3]}"
