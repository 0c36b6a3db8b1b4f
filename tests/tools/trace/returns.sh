#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# A return has the values from its entry, also in recursion: factorial(5) returns from the innermost
# call outward.
run "$BIN/trace" "r:$TARGETS/values:factorial \"%d! = %d\", \$entry(n), retval" \
	"r:$TARGETS/values:name_of \"%d %s\", \$entry(number), retval" \
	"r:$TARGETS/values:visit \"%s %d\", \$entry(node->name), \$retval" \
	"r:$TARGETS/values:put (\$entry(size) > 3) \"%d %s %d\", \$entry(arg1), \$entry(str(data, size)), (int)retval" --exec -- "$TARGETS/values"
expect_status 0
expect_equal "$(sed -n 's/^.* \(factorial\|name_of\|visit\|put\) \+//p' "$tool_out")" 'first 42
<unreadable: Bad address> 0
0 zero
2 two
1! = 1
2! = 2
3! = 6
4! = 24
5! = 120
2 abcdef 6'

# The note about the cost of returns is one of those that -q omits.
run "$BIN/trace" -q "r:$TARGETS/values:factorial" --exec -- "$TARGETS/values"
expect_status 0
expect_no_line ' cost about ' "$tool_err"

# Threads are kept apart: each return has the arguments of its own call.
run "$BIN/trace" "r:$TARGETS/flood:flood \"%d %d = %d\", \$entry(thread), \$entry(number), retval" --exec -- "$TARGETS/flood" 4 300
expect_status 0
expect_equal "$(awk '/ flood / { events++; if ($5 + $6 == $8) right++; seen[$5 " " $6]++ } END { print events, right, length(seen) }' "$tool_out")" \
	'1200 1200 1200'

# $latency: usleep(10 ms) takes at least 10 ms; and a condition on it.
run "$BIN/trace" "r:c:usleep (\$latency > 9000000) \"%d %ld\", \$latency / 1000000, \$entry(arg1)" --exec -- "$TARGETS/flood" 1 3 10
expect_status 0
expect_equal "$(awk '$4 == "usleep" && $5 >= 10 && $6 == 10000' "$tool_out" | wc -l)" 3
