# shellcheck shell=sh
. /kernels/lib.sh

# Collections and their kinds; a fixture stands in for Node.js.
cp /targets/runtime "$T/node"
start_target "$T/node"
run_tool ugc "$target_pid"
echo collect >&8
wait_for "grep -q done '$target_out'" 60
stop_tool INT
expect_line '^GC scavenge +1 ' "$tool_out"
expect_line '^total +3 ' "$tool_out"
