# shellcheck shell=sh
# timeout: 150
. /kernels/lib.sh

# Calls of a kernel function by one command.
run_tool funccount --comm dd vfs_read
dd if=/dev/zero of=/dev/null bs=1 count=1000
cat /proc/self/stat
stop_tool TERM
expect_line '^vfs_read +1000$' "$tool_out"
