#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# At the end, argdist names the specifiers without events.
flood=$TARGETS/flood
gather "$flood" 1 5 -- -C "p:$flood:flood()" -C "p:$TARGETS/values:sum()#sums" -H "p:$flood:flood(long t):long:t:t == 2"
expect_equal "$(cat "$tool_err")" "argdist: sums: no event
argdist: p:$flood:flood(long t):long:t:t == 2: no event"
gather "$flood" 1 5 -- -q -C "p:$TARGETS/values:sum()#sums"
expect_no_line . "$tool_err"
