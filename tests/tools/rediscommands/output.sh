#!/bin/bash
# ring: first
# shares: redis
source "$(dirname "$0")/../../lib.sh"

# A line per command, as one would type it; truncated ones are marked; control characters are
# escaped.
start_redis
cli() { redis-cli -s "$redis_socket" "$@"; }
run_tool rediscommands -x "$(readlink -f "$(command -v redis-server)")" -Z 10 -M 4
cli set key 'a "b" c' >"$T/out"
cli set '' $'\e[2J' >"$T/out"
cli set key 0123456789abcdef >"$T/out"
seq 40 | xargs redis-cli -s "$redis_socket" del >"$T/out"
stop_tool
expect_status 0
expect_equal "$(head -n 1 "$tool_out")" 'TIME            PID     CLIENT   LATENCY STATUS    COMMAND'
expect_count 4 "^[0-9:]{8}\.[0-9]{6} +$redis_pid +[0-9]+ +[0-9.]+[num]?s ok +[a-z]" "$tool_out"
expect_line ' set key "a \\"b\\" c"$' "$tool_out"
expect_line ' set "" .x1b\[2J$' "$tool_out"
expect_line ' set key 0123456789\.\.\. \[16 bytes\]$' "$tool_out"
expect_line ' del 1 2 .* 31 \.\.\. \[9 more\]$' "$tool_out"
