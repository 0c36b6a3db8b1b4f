# shellcheck shell=sh
. /kernels/lib.sh

# Fields of tracepoints; strings in the record and in the program's memory.
: >"$T/one-file"
run trace --exec "t:syscalls:sys_enter_openat (starts_with(args->filename, \"$T\")) \"%s\", args->filename" \
	't:sched:sched_process_exec "%s", args->filename' -- /busybox cat "$T/one-file"
expect_status 0
expect_line " sys_enter_openat +$T/one-file\$" "$tool_out"
expect_line ' sched_process_exec +/busybox$' "$tool_out"
