# shellcheck shell=sh
# timeout: 600
. /kernels/lib.sh

# The stacks that lead to a function, with their counts.
run_tool stackcount /targets/stacks:work
/targets/stacks
stop_tool TERM
expect_count 15 '^  down$' "$tool_out"
expect_count 1 '^  seldom$' "$tool_out"
expect_count 1 '^  often$' "$tool_out"
expect_equal "$(grep -E '^    [0-9]+$' "$tool_out" | tail -n 2 | xargs)" '2 3'
