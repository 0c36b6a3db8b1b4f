# shellcheck shell=sh
. /kernels/lib.sh

# The kernel stacks that lead to a tracepoint.
run_tool stackcount --comm reads -d t:sched:sched_process_exit
/targets/reads read:7 >/dev/null
stop_tool TERM
expect_line '^    1$' "$tool_out"
expect_line '^  do_exit$' "$tool_out"
