#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# A language whose runtime does not report threads: the C library and the kernel do. JSON has the
# same.
start_python_worker
run_tool uthreads --json "$target_pid"
work threads
wait_for "[ \$(grep -c '\"type\":\"stop\"' '$tool_out') = 5 ]" 20
stop_tool INT
expect_status 0
expect_count 5 "\"pid\":$target_pid,\"tid\":[0-9]+,\"type\":\"pthread\",\"start\":\"\[$python_name:\+0x[0-9a-f]+\]\"}$" "$tool_out"
expect_count 5 "\"type\":\"stop\",\"name\":\"$python_name\",\"start\":" "$tool_out"

run "$BIN/uthreads" -l python "$target_pid"
expect_status 1
expect_line 'it does not report threads \(-l c shows threads' "$tool_err"
run "$BIN/uthreads" -d 0 "$target_pid"
expect_status 2
