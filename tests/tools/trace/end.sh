#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# What ends a run: a number of lines, a time, a signal, the end of the traced process; always with
# status 0 and all events.
start_target_and_wait "$TARGETS/flood" 1 100000 2
probe="$TARGETS/flood:flood \"%d\", number"
run "$BIN/trace" -M 7 -p "$target_pid" "$probe" "$TARGETS/flood:flood (number % 2)"
expect_status 0
expect_count 7 ' flood +flood' "$tool_out"
run "$BIN/trace" --max-events 3 -f 0 -p "$target_pid" "$probe"
expect_count 3 ' flood +flood +[0-9]*0[0-9]*$' "$tool_out"

began=$SECONDS
run "$BIN/trace" -d 0.3 -p "$target_pid" "$probe"
expect_status 0
expect_line ' flood +flood' "$tool_out"
[ $((SECONDS - began)) -lt 20 ] || fail '-d 0.3 took more than 20 s'

for signal in INT TERM HUP; do
	run_tool trace -p "$target_pid" "$probe"
	wait_for "grep -q ' flood ' '$tool_out'" 10
	stop_tool "$signal"
	expect_status 0
done


run_tool trace -p "$target_pid" "$probe"
wait_for "grep -q ' flood ' '$tool_out'" 10
kill -KILL "$target_pid"
stop_tool
expect_status 0
expect_equal "$(cat "$tool_err")" ''
