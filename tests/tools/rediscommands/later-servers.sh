#!/bin/bash
# shares: redis
source "$(dirname "$0")/../../lib.sh"

# Without -p and -x, a server that starts later is also traced.
run_tool rediscommands --json
start_redis
wait_for "redis-cli -s '$redis_socket' echo later >/dev/null; grep -q '\"pid\":$redis_pid,.*later' '$tool_out'" 20
stop_tool INT
expect_status 0
