#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Strings of up to -Z bytes, at most 65536; longer ones end in "...". The text has 70000 bytes.
length_of() { # OPTION…; of the long text as shown, without and with its "..."
	run "$BIN/trace" "$@" "$TARGETS/values:show (length == 70000) \"<%s>\", text" --exec -- "$TARGETS/values"
	expect_status 0
	text=$(sed -n 's/^.*<\(.*\)>$/\1/p' "$tool_out")
	bare=${text%...}
	[ "$bare" = "$(printf 'abcdefghijklmnopqrstuvwxyz%.0s' {1..2521} | head -c ${#bare})" ] || fail 'the text differs'
	echo "${#bare} ${#text}"
}
expect_equal "$(length_of)" '80 83'
for size in 1 79 80 81 1000 4096 65535 65536; do
	expect_equal "$(length_of -Z "$size")" "$size $((size + 3))"
done

# A string that fits, also of exactly that length, has no "...".
run "$BIN/trace" -Z 8 "$TARGETS/values:show \"<%s>\", text" --exec -- "$TARGETS/values"
expect_line '<octifest>$' "$tool_out"
run "$BIN/trace" -Z 7 "$TARGETS/values:show \"<%s>\", text" --exec -- "$TARGETS/values"
expect_line '<octifes...>$' "$tool_out"
expect_line '<octi>$' "$tool_out"
run "$BIN/trace" -Z 100 "$TARGETS/values:show (length == 70000) \"<%s> <%s>\", str(text, 100), buf(text, 300)" --exec -- "$TARGETS/values"
expect_line '<[a-z]{100}> <[a-z]{100}\.\.\.>$' "$tool_out"

for bad in 0 65537 -1 x 4k; do
	run "$BIN/trace" "--string-size=$bad" "$TARGETS/values:show" --exec -- "$TARGETS/values"
	expect_status 2
done
