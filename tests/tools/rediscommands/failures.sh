#!/bin/bash
# ring: first
# shares: redis
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/redis.bash"
need_command jq

start_redis
show_failures WRONGTYPE

# Failures in text output and in digests.
run_tool rediscommands -p "$redis_pid"
text_pid=$tool_pid text_out=$tool_out
run_tool rediscommands -p "$redis_pid" --digest
redis-cli -s "$redis_socket" lpush text b get text >"$T/out"
redis-cli -s "$redis_socket" get text >"$T/out"
clients_gone
stop_tool INT
expect_status 0
expect_line ' 1 lpush$' "$tool_out"
expect_line ' 0 get$' "$tool_out"
tool_pid=$text_pid tool_out=$text_out
stop_tool INT
expect_line ' WRONGTYPE lpush text b' "$tool_out"
expect_line ' ok +get text$' "$tool_out"
