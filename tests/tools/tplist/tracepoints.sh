#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# The kernel's tracepoints, by a pattern; with -v their fields.
run "$BIN/tplist"
expect_status 0
[ "$(wc -l <"$tool_out")" -gt 500 ] || fail 'too few tracepoints'
expect_no_line '^[^:]*$|:.*:' "$tool_out"
run "$BIN/tplist" 'syscalls:sys_enter_open*'
expect_status 0
expect_line '^syscalls:sys_enter_openat$' "$tool_out"
run "$BIN/tplist" -v 'syscalls:sys_enter_openat'
expect_equal "$(cat "$tool_out")" 'syscalls:sys_enter_openat
    int __syscall_nr;
    int dfd;
    const char * filename;
    int flags;
    umode_t mode;'
run "$BIN/tplist" --json 'syscalls:sys_enter_openat'
expect_line '^\{"tracepoint":"syscalls:sys_enter_openat","fields":\[.*\{"type":"const char \*","name":"filename","offset":24,"size":8\}' "$tool_out"
run "$BIN/tplist" 'no_such:*'
expect_status 1
expect_line '^tplist: .*no_such:\*' "$tool_err"
