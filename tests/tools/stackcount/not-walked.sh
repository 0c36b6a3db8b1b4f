#!/bin/bash
# shares: stacks
source "$(dirname "$0")/../../lib.sh"

# Stacks that are not walked, because more of them wait for the tool's rules than fit, are counted
# separately from those that do not fit in the table, since --stacks would not help. Here the tool
# is stopped meanwhile, and the stacks differ, since equal ones wait only once.
count_while_stopped() { # OPTION…
	run_tool stackcount "$@" "$TARGETS/stacks:work"
	kill -STOP "$tool_pid"
	"$TARGETS/stacks" 2000 differ >/dev/null
	kill -CONT "$tool_pid"
	stop_tool INT
	expect_status 0
}

count_while_stopped
expect_equal "$(awk '/^    [0-9]+$/ { sum += $1 } END { print sum }' "$tool_out")" 22000
lost=$(awk 'BEGIN { RS = "" } /not walked: too many at once/ { sum += $NF } END { print sum + 0 }' "$tool_out")
[ "$lost" -gt 0 ] || fail 'all stacks were walked'
expect_equal "$(cat "$tool_err")" \
	"stackcount: $lost events are counted without their stack: too many stacks had to be walked at once"

count_while_stopped --json
lost=$(grep -F '"user_stack":["[not walked: too many at once]"]' "$tool_out" | grep -o '"count":[0-9]*' | cut -d : -f 2)
expect_equal "$(grep -o '"type":"lost",.*' "$tool_out" | sed 's/"time_ns":[0-9]*,//')" \
	"\"type\":\"lost\",\"count\":$lost,\"what\":\"stacks\",\"reason\":\"too many stacks had to be walked at once\"}"
