# shellcheck shell=sh
# timeout: 150
. /kernels/lib.sh

# A pattern shows each function of the kernel with its own parameters, and each result.
run_tool trace --comm dd -M 8 'p::vfs_[rw][er][ai]*' 'r::vfs_[rw][er][ai]*'
dd if=/dev/zero of=/dev/null bs=7 count=2
stop_tool
expect_line ' vfs_read +file=0x[0-9a-f]+, buf=.*, count=7, pos=' "$tool_out"
expect_line ' vfs_write +file=0x[0-9a-f]+, buf=.*, count=7, pos=' "$tool_out"
expect_count 4 ' vfs_(read|write) +retval=7$' "$tool_out"
