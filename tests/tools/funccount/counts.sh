#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Counts every call exactly: one function, several, several threads, by process and name.
counts() { awk '/^[a-z_]+ / { print $1, $NF }' "$tool_out" | sort | xargs; }
target=$TARGETS/calls

run_tool funccount "$target:plain"
"$target" 4 plain:25000
stop_tool INT
expect_status 0
expect_equal "$(cat "$tool_out")" "
$(printf '%-36s %8s\n%-36s %8s' FUNC COUNT plain 100000)"
expect_equal "$(cat "$tool_announced")" "Tracing 1 function for \"$target:plain\" … Press Ctrl-C to end."
expect_equal "$(cat "$tool_err")" ''

# Functions without calls have no row; the most frequent one is last.
run_tool funccount "$target:*[a-z]"
"$target" 1 plain:12 recursive:34 slow:5
stop_tool TERM
expect_status 0
expect_equal "$(awk '$1 ~ /^(plain|recursive|slow|jumped)$/ { print $1, $2 }' "$tool_out" | xargs)" \
	'slow 5 plain 12 recursive 34'

# Patterns that match the same functions count them once.
run_tool funccount "$target:plain" "$target:[ps]l*" "p:$target:slow"
"$target" 2 plain:3 slow:4
stop_tool INT
expect_line '^Tracing 2 functions for ".*:plain", ".*", ".*"' "$tool_announced"
expect_equal "$(counts)" 'plain 6 slow 8'

run_tool funccount -P --by-comm "$target:plain" "$target:recursive"
"$target" 1 plain:7 recursive:8 &
first=$!
(exec -a other "$target" 3 plain:5) &
second=$!
wait "$first" "$second"
stop_tool INT
expect_equal "$(awk '/ calls +/ { print $1, $2, $3, $4 }' "$tool_out" | sort)" \
	"$(printf '%s\n' "plain $first calls 7" "plain $second calls 15" "recursive $first calls 8" | sort)"
