# shellcheck shell=sh
# timeout: 150
. /kernels/lib.sh

# A kernel address is shown by its name, the kernel's stack below a line.
run_tool trace -K -M 1 --comm cat 'p::vfs_open "%K", path->mnt->mnt_sb->s_op->statfs'
cat "$T/ready"
stop_tool
expect_line ' vfs_open +[a-z_]+\+0x0 \[kernel\]$' "$tool_out"
expect_line '^        do_sys_openat2\+0x[0-9a-f]+ \[kernel\]$' "$tool_out"
