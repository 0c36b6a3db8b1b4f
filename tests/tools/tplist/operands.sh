#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# The locations of arguments, in words: one line for each operand of the note, whatever it is.
# privileges: none
[ "$(uname -m)" = x86_64 ] || skip 'the operands are for x86-64'
expect_operands() { # PROBE WANTED…
	run "$BIN/tplist" -vv -l "$TARGETS/operands" "operand:$1"
	expect_status 0
	expect_equal "$1: $(sed -n 's/^    argument #[0-9]* *//p' "$tool_out")" "$1: $(printf '%s\n' "${@:2}")"
}
expect_operands a '1 unsigned bytes @ ax' '1 unsigned bytes @ ax >> 8' '2 unsigned bytes @ ax' '4 unsigned bytes @ ax' '8 unsigned bytes @ ax'
expect_operands stack '8 unsigned bytes @ *(sp)' '8 signed   bytes @ *(sp + 8)' '8 signed   bytes @ *(sp + 16)' '4 signed   bytes @ *(sp + 16)'
expect_operands name '4 signed   bytes @ *(&operand_hidden)' '8 signed   bytes @ *(&operand_table)' '4 signed   bytes @ *(&operand_table + 16)' \
	'4 signed   bytes @ *(&operand_table + 20)' '8 unsigned bytes @ *(&operand_table + 32)'
expect_operands index '4 signed   bytes @ *(bx + cx * 8)' '4 signed   bytes @ *(bx + 4 + cx * 8)' '8 signed   bytes @ *(bx - 16 + cx * 8)' \
	'1 unsigned bytes @ *(bx + 22 + cx * 1)'
expect_operands baseless '8 signed   bytes @ *(dx * 8)' '8 signed   bytes @ *(8 + dx * 8)' '4 signed   bytes @ *(16 + dx * 8)' \
	'4 signed   bytes @ *(&operand_table + cx * 8)' '4 signed   bytes @ *(&operand_table + 4 + cx * 8)'
expect_operands constant '4 signed   bytes @ -5' '4 unsigned bytes @ 5' '8 unsigned bytes @ 9223372036854775806' '1 signed   bytes @ -128' \
	'1 unsigned bytes @ 255' '8 signed   bytes @ -9223372036854775808' '2 unsigned bytes @ 65535'
expect_operands none
run "$BIN/tplist" -vv -l "$TARGETS/operands" operand:odd
expect_count 4 '^    argument #[2-7] .*@ \? \(' "$tool_out"
expect_line '^    argument #2 8 float    bytes @ \? .*xmm0' "$tool_out"
expect_line '^    argument #4 16 unsigned bytes @ ax$' "$tool_out"
expect_line '^    argument #5 24 unsigned bytes @ \*\(sp \+ 8\)$' "$tool_out"
expect_line '^    argument #8 4 signed   bytes @ -5$' "$tool_out"

# The locations at several sites of one probe.
run "$BIN/tplist" -vv -l "$TARGETS/operands" operand:places
expect_equal "$(grep -oE 'location #[0-9]|@ .*' "$tool_out" | xargs -d '\n')" 'location #1 @ 1 @ di location #2 @ cx @ *(bx + 32) location #3 @ r10 @ di'
run "$BIN/tplist" -v -l "$TARGETS/operands" operand:places
expect_equal "$(cat "$tool_out")" 'operand:places [sema 0x0]
  3 location(s)
  2 argument(s)'
