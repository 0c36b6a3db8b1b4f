#!/bin/bash
# ring: first
# shares: stacks
source "$(dirname "$0")/../../lib.sh"
# Shows each call path to a function with its count, the most frequent last. The direct caller is
# present whether the kernel itself would find it (functions that start with push %rbp) or not
# (work), and complete stacks are not reported as cut.
run_tool stackcount "$TARGETS/stacks:work"
"$TARGETS/stacks"
"$TARGETS/stacks"
stop_tool INT
expect_status 0
# main() and thread() are called by the C library, with or without symbols.
stacks=$(awk '/^    / || /^$/ { below = 0 } !below { print } /^  (main|thread)$/ { print "  START"; below = 1 }' "$tool_out")
downs='' wanted=''
for _ in 1 2 3 4 5; do
	downs+=$'  down\n'
	wanted+=$'  work\n'$downs$'  main\n  START\n    2\n\n'
done
sorted() { # prints each paragraph of standard input as a line
	grep -vx 'STACK, COUNT' | awk 'BEGIN { RS = "" } { gsub("\n", "|"); print }' | sort
}
expect_equal "$(sorted <<<"$stacks")" "$(sorted <<<"$wanted
  work
  thread
  START
    2

  work
  seldom
  main
  START
    4

  work
  often
  main
  START
    6")"
expect_equal "$(grep -E '^    ' "$tool_out" | tr -d ' ' | tail -n 2 | xargs)" '4 6'

run_tool stackcount "$TARGETS/stacks:down"
"$TARGETS/stacks"
stop_tool INT
expect_equal "$(sed -n '/^  [^ ]/p' "$tool_out" | grep -c ' down$')" 15 # of 1 + 2 + 3 + 4 + 5 frames
expect_count 5 '^    1$' "$tool_out"
expect_equal "$(grep -c '^  main$' "$tool_out")" 5

run "$BIN/stackcount" malloc # without a library: a kernel function
expect_line '^stackcount: .*c:malloc' "$tool_err"

run "$BIN/stackcount" --dry-run "$TARGETS/stacks:work"
expect_status 0
expect_line 'work' "$tool_out"
