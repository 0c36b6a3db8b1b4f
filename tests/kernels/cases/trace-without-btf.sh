# shellcheck shell=sh
# timeout: 150
. /kernels/lib.sh

# On a kernel without type information, programs and tracepoints can be traced as usual; kernel functions
# show arguments by number or with a signature, and those of system calls.
without_btf
run trace --exec 'p:/targets/values:sum(int a, int b) "%d %d", a, b' 'r:/targets/values:sum "= %d", retval' \
	't:sched:sched_process_exec "%s", args->filename' -- /targets/values
expect_status 0
expect_line ' sum +7 -9$' "$tool_out"
expect_line ' sum += -2$' "$tool_out"
expect_line ' sched_process_exec +/targets/values$' "$tool_out"
run trace --exec 'u:/targets/operands:operand:places "%d", arg1' -- /targets/operands
expect_status 0
expect_equal "$(sed -n 's/.* places *//p' "$tool_out" | xargs)" '1 2 -10'

run_tool trace --comm dd -M 4 'p::vfs_read "number %d", arg3' 'r::vfs_read "result %d", retval' \
	'p::vfs_read(void *file, char *buf, size_t count) "signature %d", count' \
	'p::sys_openat (filename == "/missing") "call %s", filename'
dd if=/missing || true
echo text >"$T/known"
dd if="$T/known" of="$T/copy" bs=64 count=1
stop_tool
expect_line ' number 64$' "$tool_out"
expect_line ' result 5$' "$tool_out"
expect_line ' signature 64$' "$tool_out"
expect_line ' call /missing$' "$tool_out"

refused() { # STATUS MESSAGE ARG…
	status=$1 message=$2
	shift 2
	run "$@"
	expect_status "$status"
	expect_equal "$(cat "$tool_out")" ''
	expect_line "^$1: .*$message" "$tool_err"
}
none='this kernel has no type information \(/sys/kernel/btf/vmlinux; it needs CONFIG_DEBUG_INFO_BTF\)'
refused 2 "count: $none: use arg1" trace 'p::vfs_read "%d", count'
refused 2 "[$]task: $none" trace 'p:/targets/values:sum "%d", $task->pid'
refused 1 'this kernel has no type information .*; the programs need it to read kernel structures$' readlat --by-type
refused 1 'has no uprobe sessions \(they need Linux 6\.13 with CONFIG_DEBUG_INFO_BTF\)$' \
	funccount --force-path session /targets/calls:plain
