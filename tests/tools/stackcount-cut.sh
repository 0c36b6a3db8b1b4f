#!/bin/bash
source "$(dirname "$0")/../lib.sh"
# A stack that ends where frame pointers do is said to be cut.
run_tool stackcount "$TARGETS/stacks-omit:work"
"$TARGETS/stacks-omit"
stop_tool INT
expect_status 0
expect_equal "$(grep -c '^    ' "$tool_out")" "$(grep -cF '  [cut: no frame pointers]' "$tool_out")"
# The caller is known all the same.
expect_equal "$(awk '/^  often$/ { getline; print; getline; print $1 }' "$tool_out" | xargs)" '[cut: no frame pointers] 3'

run_tool stackcount -f "$TARGETS/stacks-omit:work"
"$TARGETS/stacks-omit"
stop_tool INT
expect_line '^stacks-omit;\[cut\];(.*;)?often;work 3$' "$tool_out"

# A C library that has lost its names is not taken for such an end.
need_command nm strip
address=$(nm "$TARGETS/stacks-static" | awk '$3 == "work" { print $1 }')
strip -o "$T/stripped" "$TARGETS/stacks-static"
run_tool stackcount "$T/stripped:0x$address"
"$T/stripped"
stop_tool INT
expect_equal "$(awk '/^    / { sum += $1 } END { print sum }' "$tool_out")" 11
expect_no_line 'cut' "$tool_out"
expect_no_line '^  [a-z]' "$tool_out"
