# shellcheck shell=sh
# timeout: 600
. /kernels/lib.sh

# Where threads wait, and which threads wake them.
start_target /targets/waits
run_tool offcputime -p "$target_pid" --wakers -m 2ms
echo x >&8
wait_for "grep -q done '$target_out'" 60
stop_tool INT
expect_line '^ +[0-9.]+[num]?s   sleep: (clock_)?nanosleep$' "$tool_out"
expect_line '^    -                writer ' "$tool_out"

# Kernel threads, and threads of programs.
run offcputime -k -f 2
expect_status 0
expect_line ';kthread;' "$tool_out"
expect_no_line '^waits;' "$tool_out"
run offcputime -u -K -f 2
expect_no_line ';kthread;' "$tool_out"
