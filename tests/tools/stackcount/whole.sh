#!/bin/bash
# shares: stacks
source "$(dirname "$0")/../../lib.sh"
# Stacks are complete without frame pointers: unwind tables lead through the program and the C
# library.
run_tool stackcount -f "$TARGETS/stacks-omit:work"
"$TARGETS/stacks-omit"
stop_tool INT
expect_status 0
expect_no_line 'cut' "$tool_out"
expect_line '^stacks-omit;_start;(.*;)?main;often;work 3$' "$tool_out"
expect_line '^stacks-omit;_start;(.*;)?main;(down;){5}work 1$' "$tool_out"
expect_line '^stacks-omit;(.*;)?clone3;(.*;)?thread;work 1$' "$tool_out"

# The same holds for a stripped static program.
need_command nm strip
address=$(nm "$TARGETS/stacks-static" | awk '$3 == "work" { print $1 }')
strip -o "$T/stripped" "$TARGETS/stacks-static"
run_tool stackcount "$T/stripped:0x$address"
"$T/stripped"
stop_tool INT
expect_equal "$(awk '/^    / { sum += $1 } END { print sum }' "$tool_out")" 11
expect_no_line 'cut' "$tool_out"
expect_equal "$(grep -E '^  [^ ]' "$tool_out" | grep -vxE '  (stripped:?\+0x[0-9a-f]+|_start)')" ''

# Without unwind tables and frame pointers, the code is decoded up to its return.
need_command objcopy
objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr "$TARGETS/stacks-omit" "$T/bare"
run_tool stackcount -f "$T/bare:work"
"$T/bare"
stop_tool INT
expect_no_line 'cut' "$tool_out"
expect_line '^bare;(.*;)?main;often;work 3$' "$tool_out"
expect_line '^bare;(.*;)?main;(down;){5}work 1$' "$tool_out"
