#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Measures every call separately: in several threads, in recursion, in functions that longjmp
# leaves.
target=$TARGETS/calls
average() { grep '^avg = ' "$tool_out" | tail -n 1; }
count() { average | sed 's/.*count: //'; }

run_tool funclatency "$target:plain"
"$target" 4 plain:5000
stop_tool INT
expect_status 0
expect_equal "$(count)" 20000
expect_equal "$(awk '/\|$/ { sum += $5 } END { print sum }' "$tool_out")" 20000
expect_line '^     nsecs +: count     distribution$' "$tool_out"
expect_line '^Function = plain \[[0-9]+\]$' "$tool_out"
expect_equal "$(cat "$tool_announced")" "Tracing 1 function for \"$target:plain\" … Press Ctrl-C to end."

# Units; a call that sleeps for 2 ms takes at least as long.
run_tool funclatency -u "$target:slow"
"$target" 2 slow:20
stop_tool TERM
expect_line '^     usecs ' "$tool_out"
expect_equal "$(average | awk '{ print ($3 >= 2000 && $3 < 1000000), $NF }')" '1 40'
run_tool funclatency -m "$target:slow"
"$target" 2 slow:20
stop_tool TERM
expect_line '^     msecs ' "$tool_out"
expect_equal "$(average | awk '{ print ($3 >= 2 && $3 < 1000), $NF }')" '1 40'

# Each call of a recursion counts; an outer call includes the inner ones, so they differ.
run_tool funclatency "$target:recursive"
"$target" 3 recursive:20
stop_tool INT
expect_equal "$(count)" 60

# A call that longjmp leaves has no return, and does not disturb other calls.
run_tool funclatency -F "$target:jumped" "$target:plain"
"$target" 2 jump:10
stop_tool INT
expect_equal "$(count)" 20
expect_no_line 'Function = jumped' "$tool_out"
