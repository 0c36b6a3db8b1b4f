# shellcheck shell=sh
# timeout: 150
. /kernels/lib.sh

# A probe on a system call's kernel function: the call's arguments by name and number, the program's
# strings.
run_tool trace -M 2 --comm cat 'p::sys_openat (filename == "/missing") "by name %s", filename' \
	'r::sys_openat (retval < 0) "by number %d %s", retval, $entry(arg2)'
cat /missing || true
stop_tool
expect_line ' by name /missing$' "$tool_out"
expect_line ' by number -2 /missing$' "$tool_out"
