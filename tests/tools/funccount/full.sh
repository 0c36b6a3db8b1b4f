#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Calls that do not fit in the table are counted and reported: the two sums together miss none.
run_tool funccount --keys 2 -P "$TARGETS/calls:plain"
for _ in 1 2 3 4 5; do
	"$TARGETS/calls" 1 plain:100
done
stop_tool INT
expect_status 0
shown=$(awk '/^plain/ { sum += $NF } END { print sum + 0 }' "$tool_out")
lost=$(sed -n 's/^funccount: \([0-9]*\) calls are not counted.*--keys.*/\1/p' "$tool_err")
[ "$lost" -gt 0 ] || fail 'nothing was lost'
expect_equal "$((shown + lost))" 500
