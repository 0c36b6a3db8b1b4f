#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# SIGINT and SIGTERM print what was counted; the end of the traced process ends the run.
flood=$TARGETS/flood
for signal in INT TERM; do
	gather -s "$signal" "$flood" 1 10 -- -C "p:$flood:flood(long t):long:t" -H "p:$flood:flood(long t):long:t"
	expect_equal "$(rows)" '10 t = 1'
	expect_equal "$(buckets)" '0 1 10'
done

start_target_and_wait "$flood" 1 100 10
run_tool argdist -i 1000 -p "$target_pid" -C "p:$flood:flood()"
stop_tool
expect_status 0
expect_line ' total calls$' "$tool_out"

# If the reader of the output exits, the tool prints no error.
"$BIN/argdist" -i 0.05 -C "p:$flood:flood()" 2>"$T/err" | head -n 1 >"$T/head"
expect_line '^\[' "$T/head"
expect_no_line 'pipe|cannot' "$T/err"
