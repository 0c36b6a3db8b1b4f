#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Selection and output: --min, percentiles, finer rows, an SVG, JSON, a full table.
target=$TARGETS/calls
run_tool funclatency -u --min 50000 --percentiles "$target:lengthy" "$target:plain"
"$target" 1 plain:50 lengthy:3
stop_tool INT
expect_no_line 'Function = plain' "$tool_out"
expect_line '^avg = .*count: 3$' "$tool_out"
expect_line '^p50 [0-9]+us  p90 .* max [0-9]+us$' "$tool_out"

run_tool funclatency --log-linear "$target:plain"
"$target" 1 plain:50
stop_tool INT
expect_line '^p50 [0-9]+ns' "$tool_out"

run_tool funclatency --heatmap -u -i 0.3 -n 3 "$target:slow"
"$target" 1 slow:50
stop_tool
expect_count 3 '^[0-2][0-9]:[0-5][0-9]:[0-5][0-9]' "$tool_out"
expect_line '^count  ' "$tool_out"
expect_line '^latency of .*:slow"?, calls by time$' "$tool_out"

run_tool funclatency -T -i 0.2 -n 2 "$target:slow"
stop_tool
expect_count 2 '^[0-2][0-9]:[0-5][0-9]:[0-5][0-9]$' "$tool_out"
expect_line '^funclatency: none of the traced functions was called$' "$tool_err"

run_tool funclatency --json -m "$target:plain" "$target:slow"
"$target" 1 plain:50 slow:3 &
wait $!
stop_tool INT
python3 - "$tool_out" $! <<'END'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert [(row["func"], row["pid"], row["histogram"]["count"]) for row in rows] == \
    [("slow", int(sys.argv[2]), 3), ("plain", int(sys.argv[2]), 50)], rows
assert rows[0]["histogram"]["unit"] == "msecs" and rows[0]["histogram"]["avg"] >= 2
END

# Calls that do not fit in the table: the two sums together miss none.
run_tool funclatency -P --keys 2 "$target:plain"
"$target" 1 plain:300
"$target" 1 plain:300
"$target" 1 plain:300
stop_tool INT
shown=$(sed -n 's/^avg = .*count: //p' "$tool_out" | tail -n 1)
lost=$(sed -n 's/^funclatency: \([0-9]*\) calls are not counted.*--keys.*/\1/p' "$tool_err")
[ "$lost" -gt 0 ] || fail 'nothing was lost'
expect_equal "$((shown + lost))" 900

run_tool funclatency -v "$target:plain"
stop_tool INT
expect_line 'plain at 0x.*file offset' "$tool_err"
