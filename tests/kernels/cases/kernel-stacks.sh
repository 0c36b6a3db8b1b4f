# shellcheck shell=sh
# timeout: 150
. /kernels/lib.sh

# The kernel stacks that lead to one of its functions.
run_tool stackcount -K --comm dd vfs_read
dd if=/dev/zero of=/dev/null bs=1 count=1000
stop_tool TERM
expect_equal "$(grep -A 1 '^  vfs_read$' "$tool_out" | xargs)" 'vfs_read ksys_read'
expect_line '^    1000$' "$tool_out"
