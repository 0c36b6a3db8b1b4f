#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# --heatmap prints a line per interval; all lines together equal one histogram.
flood=$TARGETS/flood
run_tool argdist -i 0.1 -n 5 --heatmap -H "p:$flood:flood(long t, long n):long:n"
"$flood" 1 1000 >"$T/out"
stop_tool
expect_status 0
expect_count 5 '^\[?[0-9]{2}:[0-9]{2}:[0-9]{2}' "$tool_out"
expect_no_line 'distribution' "$tool_out"
expect_equal "$(head -n 1 "$tool_out")" 'n, calls by value'
