# shellcheck shell=sh
# timeout: 600
. /kernels/lib.sh

# What threads wait for, and who ends it.
start_target /targets/waits
run_tool offcputime -p "$target_pid" --wakers -m 2ms
echo x >&8
wait_for "grep -q done '$target_out'" 60
stop_tool INT
expect_line '^        [0-9]+   sleep: (clock_)?nanosleep$' "$tool_out"
expect_line '^    -                writer ' "$tool_out"
