# shellcheck shell=sh
. /kernels/lib.sh

# Every call is measured, in several threads and in recursion; the time of a call that sleeps includes
# its sleep.
calls() { grep '^avg = ' "$tool_out" | sed 's/.*count: //'; }
run_tool funclatency /targets/calls:plain
/targets/calls 2 plain:1000
stop_tool TERM
expect_equal "$(calls)" 2000
run_tool funclatency /targets/calls:recursive
/targets/calls 2 recursive:20
stop_tool TERM
expect_equal "$(calls)" 40
run_tool funclatency -u /targets/calls:slow
/targets/calls 1 slow:5
stop_tool TERM
expect_equal "$(awk '/^avg = / { print ($3 >= 2000), $NF }' "$tool_out")" '1 5'
