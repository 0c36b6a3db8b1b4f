#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# The most frequent keys are last; -T keeps only those.
flood=$TARGETS/flood
specifier="p:$flood:flood(long thread, long number):int:number > 90 ? 3 : number > 60 ? 1 : 2"
gather "$flood" 1 100 -- -C "$specifier"
expect_equal "$(rows | awk '{ print $1, $NF }')" '10 3
30 1
60 2'
gather "$flood" 1 100 -- -T 2 -C "$specifier"
expect_equal "$(rows | awk '{ print $1, $NF }')" '30 1
60 2'
gather "$flood" 1 100 -- --top 1 --json -C "$specifier"
expect_equal "$(grep -o '"count":[0-9]*' "$tool_out")" '"count":60'

# Among equal counts, -T keeps the greater keys; numbers compare as numbers.
gather "$flood" 1 120 -- -T 11 -C "p:$flood:flood(long thread, long number):int:number % 12"
expect_equal "$(rows | awk '{ print $NF }')" "$(seq 11)"
gather "$flood" 1 120 -- -T 11 --json -C "p:$flood:flood(long thread, long number):int:number % 12"
expect_equal "$(grep -o '"number % 12":[0-9]*' "$tool_out" | cut -d: -f2)" "$(seq 11)"
