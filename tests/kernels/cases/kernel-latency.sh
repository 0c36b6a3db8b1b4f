# shellcheck shell=sh
# timeout: 150
. /kernels/lib.sh

# Latencies of a kernel function: each call counts once, also with only the outermost calls.
for levels in '' '-l 1'; do
	# shellcheck disable=SC2086 # two words
	run_tool funclatency --comm dd --by-comm $levels vfs_read
	dd if=/dev/zero of=/dev/null bs=1 count=1000
	stop_tool TERM
	expect_line '^Function = vfs_read \[dd\]$' "$tool_out"
	expect_line 'count: 1000$' "$tool_out"
done
