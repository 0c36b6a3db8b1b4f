#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# The probes of a file, at each level of detail, compared with readelf.
# privileges: none
demo=$TARGETS/demo
notes=$(readelf -n "$demo")
number_of() { sed -n "/Name: $1\$/,/Arguments/s/.*$2: 0x0*\([0-9a-f]*\).*/0x\1/p" <<<"$notes"; }

run "$BIN/tplist" -l "$demo"
expect_status 0
expect_equal "$(sort "$tool_out")" "$(printf "$demo shop:%s\n" item__added order__failed order__placed payment__done)"
run "$BIN/tplist" --lib "$demo" 'shop:o*'
expect_status 0
expect_count 2 ' shop:order__(placed|failed)$' "$tool_out"
expect_equal "$(wc -l <"$tool_out")" 2

sema=$(number_of order__failed Semaphore)
run "$BIN/tplist" -v -l "$demo" 'shop:order__failed'
expect_equal "$(cat "$tool_out")" "shop:order__failed [sema $sema]
  1 location(s)
  2 argument(s)"
run "$BIN/tplist" -vv -l "$demo" 'shop:order__failed'
expect_line "^shop:order__failed \[sema $sema\]\$" "$tool_out"
expect_line "^  location #1 $demo $(number_of order__failed Location)\$" "$tool_out"
expect_line '^    argument #1 4 unsigned bytes @ ' "$tool_out"
expect_line '^    argument #2 8 unsigned bytes @ ' "$tool_out"
run "$BIN/tplist" -r -l "$demo" 'shop:order__failed'
expect_line "^  location $(number_of order__failed Location) raw args: $(sed -n '/order__failed/,/Arguments/s/.*Arguments: //p' <<<"$notes" | sed 's/[()$]/\\&/g')\$" "$tool_out"

# For a pattern without a match and for a file without probes: status 1, and a hint.
run "$BIN/tplist" -l "$demo" 'bank:*'
expect_status 1
expect_line '^tplist: .*4 USDT probes.*bank:\*' "$tool_err"
run "$BIN/tplist" -l "$TARGETS/values"
expect_status 1
expect_equal "$(cat "$tool_out" "$tool_err")" "tplist: $TARGETS/values has no USDT probes"
