#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# Events are chosen in the kernel, and the numbers multiplied: one of N for each processor, or by
# chance.
flood=$TARGETS/flood
specifier="p:$flood:flood(long thread, long number)"
cpu=$(taskset -cp $$ | sed 's/.*[:,-] *//')
gather taskset -c "$cpu" "$flood" 1 1000 -- --every 10 -C "$specifier" --sum number --max-of number
expect_equal "$(rows | awk '{ print $1, $2, $3 }')" '1000 505000 1000'
expect_line '^argdist: the numbers are estimates from one event of 10 on each CPU$' "$tool_err"
gather taskset -c "$cpu" "$flood" 1 1000 -- --every 10 --json -H "$specifier:long:number"
expect_line '"count":1000,' "$tool_out"
expect_line '^{"type":"sampled","time_ns":[0-9]+,"rate":0.1}$' "$tool_out"

# 20,000 events with a probability of 1/2: 10,000 are expected, with a deviation of 71.
gather "$flood" 1 20000 -- --sample 50% -C "$specifier"
count=$(rows | awk '{ print $1 }')
[ "$count" -gt 19000 ] && [ "$count" -lt 21000 ] && [ "$count" != 20000 ] || fail "$count events"
gather "$flood" 1 100 -- --sample 1 -C "$specifier"
expect_equal "$(rows | awk '{ print $1 }')" 100
expect_no_line 'estimates' "$tool_err"
