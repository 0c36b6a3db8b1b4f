#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# 10,000 threads that are like servers are started and end in the middle of their work, as if they
# were killed: all their commands are shown, and also all those that are executed afterwards.
mkfifo "$T/input"
exec 8<>"$T/input"
stdin=$T/input start_target_and_wait "$TARGETS/redis" 5000
run_tool rediscommands --json -x "$TARGETS/redis"
echo >&8
wait_for "grep -q done '$target_out'" 60
before=$(kernel_bytes)
echo >&8
wait_for "[ \"\$(grep -c done '$target_out')\" = 2 ]" 60
expect_flat "$before"
stop_tool INT
expect_status 0
expect_count 0 '"lost"' "$tool_out"
expect_count $((10000 + 2)) '"args":\["get"' "$tool_out"
