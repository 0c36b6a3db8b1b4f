#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# Each collection with its generation and number of collected objects; the summary has as many.
start_python_worker
run_tool ugc "$target_pid"
work collect rings
wait_for "grep -q 'collected 50 objects' '$tool_out'" 20
stop_tool INT
expect_status 0
expect_line "^Tracing garbage collections in process $target_pid \(language: python\)" "$tool_announced"
expect_line '^TIME +LATENCY DESCRIPTION$' "$tool_out"
# How many objects the program's start leaves for the young generations differs.
expect_equal "$(grep -oE 'gen . GC collected [0-9]+ objects' "$tool_out" | sed 's/\([01]\) GC collected .*/\1 GC/')" \
	"$(printf 'gen %s\n' '0 GC' '1 GC' '2 GC collected 0 objects' \
		'2 GC collected 0 objects' '2 GC collected 50 objects')"
expect_line '^gen 2 +3( +[0-9.]+[num]?s){4}$' "$tool_out"
expect_line '^total +5 ' "$tool_out"
