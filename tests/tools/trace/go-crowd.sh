#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Thousands of goroutines are in one function at once: each call is shown. If not all calls fit in
# the table of calls in progress, those whose returns are not shown are reported as lost.
source "$(dirname "$0")/../go.bash"
program=$T/crowd
build_go "$program" crowd.go
run "$BIN/trace" --buffer 64M "r:$program:main.wait \"%d %d\", retval, \$latency > 0" --exec -- "$program"
expect_status 0
expect_count 20000 ' main\.wait +7 1$' "$tool_out"
expect_no_line 'lost' "$tool_err"

run "$BIN/trace" --buffer 64M -Z 4096 "r:$program:main.wait \"%s\", \$entry(name)" --exec -- "$program"
expect_status 0
expect_line '^all left$' "$tool_err"
expect_line 'lost [0-9]+ events: too many calls were under way at the same time$' "$tool_err"
lost=$(sed -n 's/^trace: .* \([0-9]\+\) lost$/\1/p' "$tool_err")
[ "$lost" -gt 0 ] || fail 'nothing was lost'
expect_equal $(($(grep -c ' main\.wait *someone$' "$tool_out") + lost)) 20000
