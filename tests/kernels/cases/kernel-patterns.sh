# shellcheck shell=sh
# timeout: 150
. /kernels/lib.sh

# One probe on several functions shows each by its name, at entries and returns, with cookies and without.
run_tool trace --comm dd -M 8 'p::vfs_read*' 'r::vfs_read*'
dd if=/dev/zero of=/dev/null bs=1 count=4
stop_tool
expect_equal "$(sed 1d "$tool_out" | awk '{ print $3, $4 }' | sort | uniq -c | xargs)" '8 dd vfs_read'
run_tool funccount --comm dd 'vfs_read*'
dd if=/dev/zero of=/dev/null bs=1 count=1000
stop_tool TERM
expect_line '^vfs_read +1000$' "$tool_out"
