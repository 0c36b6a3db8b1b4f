#!/bin/bash
# ring: first
# alone: the program ends at once, and the tool has to read its stack before that
source "$(dirname "$0")/../../lib.sh"

# --lines shows the file and line of each frame, and a frame for each inlined function. trace and a
# tool that counts stacks show the lines that the source has.
program=$TARGETS/inlining
line_of() { grep -n -m 1 -F "$1" "$ROOT/tests/targets/inlining.cpp" | cut -d: -f1; }
frames="paid (inlining.cpp:$(line_of 'sum < 0'))
shop::checked (inlining.cpp:$(line_of 'paid(price)')) (inlined)
shop::Cart::add(long) (inlining.cpp:$(line_of 'checked(price);')) (inlined)
step (inlining.cpp:$(line_of 'cart.add(price)'))
main (inlining.cpp:$(line_of 'step(11)'))"

run "$BIN/trace" --lines -M 1 -U "$program:paid" --exec -- "$program"
expect_status 0
expect_equal "$(sed -nE 's/^ {8}//; s/\+0x[0-9a-f]+//; s/ \[inlining\]$//; /inlining\.cpp/p' "$tool_out")" "$frames"

run "$BIN/trace" -M 1 -U "$program:paid" --exec -- "$program"
expect_no_line 'inlin(ing\.cpp|ed)' "$tool_out"

run_tool stackcount --lines -f "$program:paid"
"$program" >"$T/out"
stop_tool INT
# A folded stack is one line that starts with the root.
expect_line "main \(inlining.cpp:[0-9]+\);step \(inlining.cpp:[0-9]+\);shop::Cart::add\(long\) \(inlining.cpp:[0-9]+\) \(inlined\);.*;paid \(inlining.cpp:[0-9]+\) 181$" "$tool_out"
