# shellcheck shell=sh
. /kernels/lib.sh

# Probes of a file, live semaphores of a process, tracepoints with their fields.
run tplist -l /targets/operands 'operand:c*'
expect_status 0
expect_line 'operand:constant' "$tool_out"
start_target /targets/operands 100000
run tplist -v -p "$target_pid" operand:counted
expect_status 0
expect_line 'the semaphore is 0' "$tool_out"
run tplist -v sched:sched_process_exit
expect_status 0
expect_line 'sched:sched_process_exit' "$tool_out"
expect_line 'char\[16\] comm' "$tool_out"
