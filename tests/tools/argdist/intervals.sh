#!/bin/bash
# alone: the tool has to attach within the half second that its target runs
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# Each interval shows only its own events; -c makes the numbers cumulative. -n and -d end the run.
flood=$TARGETS/flood
start_target_and_wait "$flood" 2 100 5
run_tool argdist -i 0.05 -p "$target_pid" -C "p:$flood:flood()" -C "p:$flood:flood(long thread):long:thread" \
	-H "p:$flood:flood(long thread):long:thread lin(0,4,1)"
stop_tool # it ends with the process
expect_status 0
awk '/total calls/ { total += $1 } /thread = 1/ { first += $1 } /thread = 2/ { second += $1 }
	/1 -> 1/ { one += $5 } /2 -> 2/ { two += $5 } END { print total, first + second, one + two }' "$tool_out" >"$T/sums"
read -r total keyed drawn <"$T/sums"
# The tool attaches one specifier after the other, the last one first, while the target already
# runs.
[ "$total" -gt 0 ] && [ "$total" -le "$keyed" ] && [ "$keyed" -le "$drawn" ] && [ "$drawn" -le 200 ] ||
	fail "calls without keys $total, by key $keyed, in the histogram $drawn"
[ "$(grep -c '^\[' "$tool_out")" -ge 3 ] || fail 'less than 3 intervals'

run_tool argdist -i 0.05 -c -C "p:$flood:flood(long thread):long:thread#x"
"$flood" 1 50 5 >"$T/out"
wait_for "[ \"\$(rows | tail -n 1)\" = '50 thread = 1' ]" 10
stop_tool INT
rows | sort -n -c || fail 'cumulative counts decrease'
expect_equal "$(rows | tail -n 1)" '50 thread = 1'

run "$BIN/argdist" -i 0.05 -n 3 -C "p:$flood:flood()"
expect_status 0
expect_count 3 '^\[' "$tool_out"
run "$BIN/argdist" -d 0.1 -C "p:$flood:flood()"
expect_status 0
expect_count 1 '^\[' "$tool_out"
