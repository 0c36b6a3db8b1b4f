#!/bin/bash
# alone: it puts probes on thousands of functions
source "$(dirname "$0")/../../lib.sh"

# Counts all functions of a server under load: it survives, and its own statistics of commands equal
# the counts.
need_command redis-benchmark
start_redis
run_tool funccount -p "$redis_pid" 'redis-server:*'
redis-benchmark -s "$redis_socket" -t set,get -n 2000 -c 4 -q >"$T/benchmark"
clients_gone
stop_tool INT
expect_status 0
expect_line '^Tracing [0-9]{4} functions' "$tool_announced"
expect_equal "$(redis-cli -s "$redis_socket" ping)" PONG
redis-cli -s "$redis_socket" info commandstats | tr -d '\r' >"$T/stats"
for name in set get; do
	calls=$(sed -n "s/^cmdstat_$name:calls=\([0-9]*\),.*/\1/p" "$T/stats")
	expect_equal "$calls" 2000
	expect_line "^${name}Command +$calls$" "$tool_out"
done

# Another tool counts the same number at the same time.
run_tool argdist -c -i 60 -C 'p:redis-server:createStringObject()'
other_pid=$tool_pid other_out=$tool_out
run_tool funccount "redis-server:createStringObject"
redis-benchmark -s "$redis_socket" -t set -n 500 -c 2 -q >"$T/benchmark"
clients_gone
stop_tool INT
counted=$(awk '/^createStringObject/ { print $2 }' "$tool_out")
tool_pid=$other_pid
stop_tool INT
[ "$counted" -ge 1000 ] || fail "only $counted objects"
expect_line "^[[:space:]]$counted +total calls" "$other_out"
