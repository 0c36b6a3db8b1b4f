# shellcheck shell=sh
. /kernels/lib.sh

# Threads with their start functions, and their ends.
start_target /targets/threads
run_tool uthreads "$target_pid"
echo x >&8
wait_for "[ \$(grep -c ' stop ' '$tool_out') = 8 ]" 60
stop_tool INT
expect_count 6 ' pthread +octi \[threads\]$' "$tool_out"
expect_count 6 ' stop +octi-worker, octi \[threads\]$' "$tool_out"
