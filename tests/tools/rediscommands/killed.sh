#!/bin/bash
# alone: it kills a tool, and any tool that starts next would remove the leftover probes
source "$(dirname "$0")/../../lib.sh"

# After the tool is killed, the server continues. After the server is killed, the tool ends normally
# and shows what it traced before.
start_redis
run_tool rediscommands -p "$redis_pid"
redis-benchmark -s "$redis_socket" -q -n 20000 -c 5 -P 8 -t set >"$T/out" &
wait_for "[ -s '$tool_out' ]" 30
stop_tool KILL
wait $!
expect_equal "$(redis-cli -s "$redis_socket" set key value)" OK

run_tool rediscommands -p "$redis_pid"
redis-cli -s "$redis_socket" get key >"$T/out"
kill -KILL "$redis_pid"
stop_tool
expect_status 0
expect_line ' get key$' "$tool_out"
