#!/bin/bash
# shares: reads
source "$(dirname "$0")/../../lib.sh"

# Calls that do not fit in the table are counted and reported: the two sums together miss none.
run_tool readlat --slots 3 --by-call --comm reads
"$TARGETS/reads" read:500 pread64:600 readv:700 >"$T/out"
stop_tool INT
expect_status 0
shown=$(awk '/^avg/ { sum += $NF } END { print sum + 0 }' "$tool_out")
lost=$(sed -n 's/^readlat: \([0-9]*\) calls are not counted.*--slots.*/\1/p' "$tool_err")
[ "$lost" -gt 0 ] || fail 'nothing was lost'
expect_equal "$((shown + lost))" 1800
