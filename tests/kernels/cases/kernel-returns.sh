# shellcheck shell=sh
# timeout: 150
. /kernels/lib.sh

# Results, with one value of the entry (one program if the kernel has sessions) and with more.
echo text >"$T/known"
run_tool trace -M 4 --comm dd 'r::vfs_read "one %d %d", retval, $entry(count) > 5' \
	'r::vfs_read "more %d %s %d", retval, $entry(file->f_path.dentry->d_name.name), $latency > 0'
dd if="$T/known" of="$T/copy" bs=64
stop_tool
expect_equal "$(sed -n 's/.* one //p' "$tool_out" | xargs)" '5 1 0 1'
expect_equal "$(sed -n 's/.* more //p' "$tool_out" | xargs)" '5 known 1 0 known 1'
