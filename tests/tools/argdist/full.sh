#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# --keys limits the table: events that do not fit are counted and reported.
flood=$TARGETS/flood
gather "$flood" 1 500 -- --keys 10 -C "p:$flood:flood(long thread, long number):long:number"
expect_equal "$(rows | awk '{ sum += $1 } END { print NR, sum }')" '10 10'
expect_equal "$(cat "$tool_err")" 'argdist: 490 events are not counted: no room for more keys (increase --keys)'
gather "$flood" 1 500 -- --keys 1 -C "p:$flood:flood(long thread, long number):long:thread"
expect_equal "$(rows)" '500 thread = 1'
expect_equal "$(cat "$tool_err")" ''
