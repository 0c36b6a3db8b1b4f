#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Intervals, the time, the most frequent rows, JSON.
target=$TARGETS/calls
run_tool funccount -i 0.2 -n 3 -T "$target:*"
stop_tool
expect_status 0
expect_count 3 '^[0-2][0-9]:[0-5][0-9]:[0-5][0-9]$' "$tool_out"
expect_count 3 '^FUNC +COUNT$' "$tool_out"

# An interval shows only its own calls.
run_tool funccount -i 0.3 "$target:plain"
"$target" 1 plain:11
wait_for "grep -q '^plain' '$tool_out'" 10
"$target" 1 plain:12
stop_tool INT
expect_equal "$(awk '/^plain/ { print $2 }' "$tool_out" | xargs)" '11 12'

run_tool funccount --top 1 "$target:plain" "$target:recursive"
"$target" 1 plain:11 recursive:12
stop_tool INT
expect_equal "$(awk '/ [0-9]+$/ { print $1 }' "$tool_out" | xargs)" recursive

run_tool funccount --json -P "$target:plain" "$target:recursive"
"$target" 1 plain:11 recursive:12 &
wait $!
stop_tool INT
python3 - "$tool_out" $! <<'END'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert all(row.pop("time_ns") for row in rows)
pid = int(sys.argv[2])
assert rows == [{"func": "plain", "pid": pid, "count": 11},
                {"func": "recursive", "pid": pid, "count": 12}], rows
END

# -v names the attached sites and programs.
run_tool funccount -D "$target:plain"
stop_tool INT
expect_line 'plain at 0x.*file offset' "$tool_err"
