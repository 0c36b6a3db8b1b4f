#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# Each thread with its start function, and its end with the name that it gave itself.
start_worker "$TARGETS/threads"
run_tool uthreads "$target_pid"
work x
wait_for "[ \$(grep -c ' stop ' '$tool_out') = 8 ]" 20
stop_tool INT
expect_status 0
expect_line "^Tracing thread events in process $target_pid \(language: c\)" "$tool_announced"
expect_line '^TIME +ID +TYPE +DESCRIPTION$' "$tool_out"
expect_count 6 '^[0-9:.]+ +[0-9]+ +pthread +octi \[threads\]$' "$tool_out"
expect_count 2 '^[0-9:.]+ +[0-9]+ +pthread +fest \[threads\]$' "$tool_out"
expect_count 6 '^[0-9:.]+ +[0-9]+ +stop +octi-worker, octi \[threads\]$' "$tool_out"
expect_equal "$(awk '$3 == "pthread" { print $2 }' "$tool_out")" "$(awk '$3 == "stop" { print $2 }' "$tool_out")"

# Also for a program that has ended before the tool reads its events.
run_tool uthreads "$target_pid"
kill -STOP "$tool_pid"
echo end >&7
wait_for "! alive $target_pid" 20
kill -CONT "$tool_pid"
stop_tool
expect_count 6 ' pthread +octi \[threads\]$' "$tool_out"
