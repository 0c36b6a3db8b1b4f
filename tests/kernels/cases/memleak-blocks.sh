# shellcheck shell=sh
# timeout: 600
. /kernels/lib.sh
ready_seconds=300

# Blocks that the program keeps are shown by stack; freed ones are not.
start_target /targets/leaks
run_tool memleak -p "$target_pid" -o 0 -T 100 100
echo keep >&8
wait_for "grep -q done '$target_out'" 60
stop_tool INT
expect_line '^	10010 bytes in 10 allocations from stack' "$tool_out"
expect_line '^	60036 bytes in 12 allocations from stack' "$tool_out"
expect_line '^	13260 bytes in 13 allocations from stack' "$tool_out"
