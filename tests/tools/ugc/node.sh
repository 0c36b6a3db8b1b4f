#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# Node.js: its types, with a fixture that has its probes. -F shows only those that contain the text,
# also in the summary.
start_stand_in node
run_tool ugc "$target_pid"
work collect
stop_tool INT
expect_status 0
expect_equal "$(grep -oE 'GC scavenge.*|GC mark-sweep-compact$' "$tool_out" | head -n 3)" \
	"$(printf '%s\n' 'GC scavenge' 'GC mark-sweep-compact' 'GC scavenge, GC mark-sweep-compact')"

run_tool ugc -F mark -M 0 "$target_pid"
work collect
stop_tool INT
expect_status 0
expect_line '^total +2 ' "$tool_out"

run_tool ugc -M 10000 "$target_pid"
work collect
stop_tool INT
expect_status 0
expect_line '^ugc: no collections seen$' "$tool_err"
