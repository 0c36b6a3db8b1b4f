# shellcheck shell=sh
. /kernels/lib.sh

# -p traces one process, and with -F also the processes that it starts.
program=/targets/stacks
start_target "$program" wait
run_tool trace -p "$target_pid" "p:$program:work (arg1 == 300) \"%d\", arg1"
"$program"
echo >&8
wait_for "grep -q ' 300\$' '$tool_out'" 60
stop_tool # it ends with the process
expect_count 1 ' work +300$' "$tool_out"
