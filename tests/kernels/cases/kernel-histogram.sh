# shellcheck shell=sh
# timeout: 150
. /kernels/lib.sh

# Histograms of a kernel function's results; counts of its arguments.
run_tool argdist -i 1000 --comm dd -H 'r::vfs_read' \
	-C 'p::vfs_read():size_t,char*:count,file->f_path.dentry->d_name.name'
dd if=/dev/zero of=/dev/null bs=100 count=1000
stop_tool TERM
expect_line '^ +64 -> 127 +: 1000 ' "$tool_out"
expect_line '1000 +count = 100, file->f_path.dentry->d_name.name = zero$' "$tool_out"
