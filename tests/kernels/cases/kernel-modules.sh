# shellcheck shell=sh
# timeout: 150
. /kernels/lib.sh

# A module's function works like one of the kernel: its arguments (by name if modules have types), its
# module in stacks, its times. The module can be unloaded afterwards.
insmod /module.ko
mkdir "$T/misc"
mount -t binfmt_misc none "$T/misc" # a function of the module writes what is read there
look() { dd if="$T/misc/status" bs=64 of=/dev/null; } # reads twice

format='"wants %d", arg3'
if [ -e /sys/kernel/btf/binfmt_misc ]; then
	format='"of %s wants %d", file->f_path.dentry->d_name.name, nbytes'
else
	run trace 'p::bm_status_read "%d", nbytes'
	expect_status 2
	expect_line 'nbytes: binfmt_misc has no type information \(/sys/kernel/btf/binfmt_misc, since Linux 5\.11\)' "$tool_err"
fi
run_tool trace -K --comm dd -M 2 "p::bm_status_read $format"
look
stop_tool
expect_count 2 ' bm_status_read +(of status )?wants 64$' "$tool_out"
expect_count 2 '^        bm_status_read\+0x[0-9a-f]+ \[binfmt_misc\]$' "$tool_out"
expect_count 2 '^        vfs_read\+0x[0-9a-f]+ \[kernel\]$' "$tool_out"

run_tool funclatency --comm dd 'bm_status_*'
look
stop_tool TERM
expect_line 'count: 2$' "$tool_out"
umount "$T/misc"
rmmod binfmt_misc
