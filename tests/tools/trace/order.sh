#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Events of all CPUs are in order of their times, and each thread's calls in the order it made them.
run "$BIN/trace" --json "$TARGETS/flood:flood \"%d %d\", thread, number" --exec -- "$TARGETS/flood" 4 5000
expect_status 0
sed -n 's/.*"time_ns":\([0-9]*\),.*"args":\[\([0-9]*\),\([0-9]*\)\].*/\1 \2 \3/p' "$tool_out" >"$T/events"
expect_equal "$(wc -l <"$T/events")" 20000
cut -d ' ' -f 1 "$T/events" | sort -n -c || fail 'the times decrease'
expect_equal "$(awk '$3 != last[$2] + 1 { wrong++ } { last[$2] = $3 } END { print wrong + 0 }' "$T/events")" 0
