#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
need_command jq

# Events are chosen in the kernel, and the numbers multiplied: one of N for each processor, or by
# chance. Each probe is counted for itself, although their events alternate.
cpu=$(taskset -cp $$ | sed 's/.*[:,-] *//')
flood=$TARGETS/flood
run_tool stackcount --json --every 10 --sum number "$flood:flood(long thread, long number)"
taskset -c "$cpu" "$flood" 1 1000
stop_tool INT
expect_status 0
expect_equal "$(jq -c 'select(.count) | [.count, .sum]' "$tool_out")" '[1000,505000]'
expect_line '^{"type":"sampled","time_ns":[0-9]+,"rate":0.1}$' "$tool_out"
expect_line '^stackcount: the numbers are estimates from one event of 10 on each CPU$' "$tool_err"
run_tool trace --every 10 -q "$flood:flood \"%d\", arg2" "r:$flood:flood \"left\""
taskset -c "$cpu" "$flood" 1 100
stop_tool INT
expect_equal "$(awk '{ print $NF }' "$tool_out")" "$(for i in {10..100..10}; do echo "$i"; echo left; done)"

run_tool trace --every 1000 "$flood:flood"
"$flood" 1 100
stop_tool INT
expect_line '^trace: no probe fired in the traced processes, or none of the events was chosen$' "$tool_err"

# Of those that pass the condition; with --sample by chance.
run_tool trace --every 10 "$flood:flood (arg2 % 2 == 0) \"%d\", arg2"
taskset -c "$cpu" "$flood" 1 100
stop_tool INT
expect_equal "$(awk '$3 == "flood" { print $NF }' "$tool_out")" $'20\n40\n60\n80\n100'
expect_line '^trace: not all events are shown, only one event of 10 on each CPU$' "$tool_err"
run_tool stackcount --json --sample 50% "$flood:flood"
"$flood" 1 20000
stop_tool INT
count=$(jq 'select(.count) | .count' "$tool_out")
[ "$count" -gt 19000 ] && [ "$count" -lt 21000 ] && [ "$count" != 20000 ] || fail "$count events"

# A call that is not chosen is not reported as one without a return.
run_tool trace --every 5 -A -M 20 "r:$flood:flood \"%d\", \$latency >= 0"
taskset -c "$cpu" "$flood" 1 100
stop_tool INT
expect_line 'COUNT 100$' "$tool_out"
expect_no_line 'no visible return' "$tool_err"
