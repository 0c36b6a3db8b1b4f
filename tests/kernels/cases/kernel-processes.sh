# shellcheck shell=sh
# timeout: 150
. /kernels/lib.sh

# -p shows only this process, whose end also ends the tool.
start_target sh -c 'echo ready; read -r word'
run_tool trace -p "$target_pid" 'r::vfs_read "%d", $pid'
cat /proc/self/stat
echo ab >&8
stop_tool
expect_line " vfs_read +$target_pid$" "$tool_out"
expect_equal "$(sed 1d "$tool_out" | grep -vc " vfs_read  *$target_pid\$")" 0
