# shellcheck shell=sh
# timeout: 150
. /kernels/lib.sh

# Where a system call enters the kernel: its own arguments, by name and number, strings of the program.
run_tool trace -M 2 --comm cat 'p::sys_openat (filename == "/missing") "by name %s", filename' \
	'r::sys_openat (retval < 0) "by number %d %s", retval, $entry(arg2)'
cat /missing || true
stop_tool
expect_line ' by name /missing$' "$tool_out"
expect_line ' by number -2 /missing$' "$tool_out"
