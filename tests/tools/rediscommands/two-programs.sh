#!/bin/bash
# shares: redis
source "$(dirname "$0")/../../lib.sh"

# Finds every server that runs, also a second program of the same name, and one that was started by
# a link.
start_redis
first=$redis_pid
mkdir "$T/other"
cp "$(readlink -f "$(command -v redis-server)")" "$T/other/redis-server"
start_ "$T/log" "$T/log" "$T/other/redis-server" --port 0 --unixsocket "$T/other/s" --save '' --dir "$T/other"
second=$pid sockets_+=("$T/other/s")
wait_for "[ \"\$(redis-cli -s '$T/other/s' ping 2>/dev/null)\" = PONG ]" 30
run_tool rediscommands -c get
redis-cli -s "$redis_socket" get of-the-first >"$T/out"
redis-cli -s "$T/other/s" get of-the-second >"$T/out"
clients_gone
stop_tool INT
expect_status 0
expect_count 1 " $first .* get of-the-first\$" "$tool_out"
expect_count 1 " $second .* get of-the-second\$" "$tool_out"
