#!/bin/bash
# ring: first
# shares: redis
source "$(dirname "$0")/../../lib.sh"

# What users try first: the strings that SET and GET create, with a function from a stripped
# server's .dynsym.
start_redis
run_tool trace -p "$redis_pid" '/usr/bin/redis-server:createStringObject "%s" arg1'
redis-cli -s "$redis_socket" set octi fest >/dev/null
redis-cli -s "$redis_socket" get octi >/dev/null
wait_for "[ \"\$(grep -c createStringObject $tool_out)\" -ge 5 ]" 10
stop_tool INT
expect_status 0
expect_line '^PID +TID +COMM +FUNC +-$' "$tool_out"
expect_line "^$redis_pid +$redis_pid +redis-server +createStringObject +set" "$tool_out"

# The same with the length, which is the argument after the pointer: exactly the strings.
run_tool trace '/usr/bin/redis-server:createStringObject "%s", str(arg1, arg2)'
redis-cli -s "$redis_socket" set octi fest >/dev/null
redis-cli -s "$redis_socket" get octi >/dev/null
wait_for "[ \"\$(grep -c createStringObject $tool_out)\" -ge 5 ]" 10
stop_tool INT
expect_status 0
expect_equal "$(awk '/redis-server/ { print $5 }' "$tool_out" | xargs)" 'set octi fest get octi'
