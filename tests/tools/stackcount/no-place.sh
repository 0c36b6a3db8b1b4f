#!/bin/bash
# alone: the tool has to keep up: no stack may be left unwalked
source "$(dirname "$0")/../../lib.sh"
# Stacks that do not fit in the kernel side's table are counted and reported. Walks that lack a rule
# are completed by the tool and do not use the table, so this test makes many more stacks than it
# has room for.
run_tool stackcount --stacks 1 "$TARGETS/stacks:work"
"$TARGETS/stacks" 2000
stop_tool INT
expect_status 0
expect_equal "$(awk '/^    [0-9]+$/ { sum += $1 } END { print sum }' "$tool_out")" 22000
lost=$(awk 'BEGIN { RS = "" } /not kept/ { sum += $NF } END { print sum }' "$tool_out")
[ "$lost" -gt 0 ] || fail 'all stacks fit'
expect_line "^stackcount: $lost events are counted without their stack: .*--stacks" "$tool_err"

run_tool stackcount --stacks 1 --json "$TARGETS/stacks:work"
"$TARGETS/stacks" 2000
stop_tool INT
expect_status 0
expect_line '^\{"type":"lost","time_ns":[0-9]+,"count":[1-9][0-9]*,"what":"stacks","reason":"the stack table was full \(increase --stacks\)"\}$' "$tool_out"

run_tool stackcount --stacks 16 "$TARGETS/stacks:work"
"$TARGETS/stacks" 2000
stop_tool INT
expect_equal "$(cat "$tool_err")" ''
expect_no_line 'not kept' "$tool_out"
