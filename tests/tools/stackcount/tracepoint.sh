#!/bin/bash
# alone: it counts each context switch on the machine, and no stack may be left unwalked
source "$(dirname "$0")/../../lib.sh"
# Tracepoints have two stacks; -K and -U select one. A kernel thread has no user stack, and nothing
# is reported as missing.
count() { # OPTION…
	run_tool stackcount --comm stacks "$@" t:syscalls:sys_enter_write
	"$TARGETS/stacks" wait </dev/null || true
	stop_tool INT
	expect_status 0
	expect_count 1 '^    1$' "$tool_out"
}
count
expect_line '^  (entry_SYSCALL_64|do_syscall_64)' "$tool_out"
expect_line '^  .*write' "$tool_out"
expect_no_line '^    --$' "$tool_out"
count -d
expect_count 1 '^    --$' "$tool_out"
count -K -d
expect_line '^  do_syscall_64$' "$tool_out"
expect_no_line '^  .*write|--' "$tool_out"
count -U
expect_line '^  .*write' "$tool_out"
expect_no_line '^  do_syscall_64' "$tool_out"
count -K -s -v
expect_line '^  f{8}[0-9a-f]{8} do_syscall_64\+0x[0-9a-f]+$' "$tool_out"
expect_line '^probes in programs: .* \(the best that this kernel has\)$' "$tool_err"

run_tool stackcount --json -i 0.05 t:sched:sched_switch
wait_for "grep -qF '\"user_stack\":[],\"kernel_stack\":[\"' '$tool_out'" 30
stop_tool INT
expect_status 0
expect_no_line 'without their stack' "$tool_err"
