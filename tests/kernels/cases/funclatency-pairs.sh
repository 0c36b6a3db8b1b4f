# shellcheck shell=sh
. /kernels/lib.sh

# The time between two events, which belong together by their thread or by a value.
slow='/targets/calls:slow'
run_tool funclatency -u --from "p:$slow" --to "r:$slow"
/targets/calls 1 slow:5
stop_tool TERM
expect_equal "$(awk '/^avg = / { print ($3 >= 2000), $NF }' "$tool_out")" '1 5'
run_tool funclatency -u --from "p:$slow" --to "r:$slow" --key arg1 --to-key '$entry(arg1)'
/targets/calls 1 slow:5
stop_tool TERM
expect_equal "$(awk '/^avg = / { print ($3 >= 2000), $NF }' "$tool_out")" '1 5'
