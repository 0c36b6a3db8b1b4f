# shellcheck shell=sh
# timeout: 600
. /kernels/lib.sh

# Samples by function.
start_target /targets/spin
run_tool profile -F 99 -f -p "$target_pid"
sleep 5
stop_tool INT
expect_line '^spin;.*main;spin;often;burn.* [0-9]+$' "$tool_out"
