#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# Without keys, argdist counts every call exactly, also those of several threads. The label is the
# specifier.
gather "$TARGETS/values" 3 -- -C "p:$TARGETS/values:sum()"
expect_equal "$(sed 1d "$tool_out")" "p:$TARGETS/values:sum()
	COUNT      EVENT
	6          total calls"
expect_line '^\[[0-9]{2}:[0-9]{2}:[0-9]{2}\]$' "$tool_out"
expect_equal "$(cat "$tool_err")" ''

gather "$TARGETS/flood" 4 50000 -- -C "$TARGETS/flood:flood()"
expect_equal "$(rows)" '200000 total calls'

# A return probe without keys counts the return values, as int.
gather "$TARGETS/values" -- -C "r:$TARGETS/values:put()" -C "r:$TARGETS/values:factorial()"
expect_equal "$(rows)" '1 retval = -1
1 retval = 6
1 retval = 1
1 retval = 2
1 retval = 6
1 retval = 24
1 retval = 120'
