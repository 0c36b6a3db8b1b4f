#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# A function that jumps to another one (tail call) returns where that one does. If an exception
# leaves it, a later call of the other function at the same stack position is not its return.
run "$TARGETS/left_by_tail" 1000
truth=$(cat "$tool_out")
run "$BIN/trace" "r:$TARGETS/left_by_tail:takes_over \"%ld -> %ld\", \$entry(reg(\"rdi\")), retval" --exec -- "$TARGETS/left_by_tail" 1000
expect_status 0
expect_line "^$truth$" "$tool_err"
expect_count 500 ' takes_over ' "$tool_out"
expect_equal "$(awk '$4 == "takes_over" && $7 == ($5 + 1) * 3 && $5 % 2 == 0' "$tool_out" | wc -l)" 500
run_tool funclatency "$TARGETS/left_by_tail:takes_over" --json
latency_out=$tool_out
run "$TARGETS/left_by_tail" 1000
expect_line "^$truth$" "$tool_out"
tool_out=$latency_out
stop_tool INT
expect_status 0
expect_line '"count":500[,}]' "$tool_out"
# open: no later call has taken the last one's position on the stack.
expect_line '"left_otherwise":499,"tail_called":0,"open":1' "$tool_out"
