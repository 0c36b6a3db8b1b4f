#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Strings and numbers in pages that the process has not touched: in a mapped file, and in a large
# constant.
file=$T/file
{
	head -c 65536 /dev/zero && printf 'from a file\0' && head -c 65524 /dev/zero && printf '\x2a\0\0\0' && head -c 70000 /dev/zero
} >"$file"
for probe in "$TARGETS/untouched:pass \"%s: %s, %d\", what, text, *number" "$TARGETS/untouched:pass \"%s: %s, %d\", arg1, arg2, *(int *)arg3" \
	"u:$TARGETS/untouched:pass \"%s: %s, %d\", arg1, arg2, *(int *)arg3"; do
	stdin=$T/line
	echo go >"$stdin"
	run "$BIN/trace" "$probe" --exec -- "$TARGETS/untouched" "$file"
	expect_status 0
	expect_line ' pass +file: from a file, 42$' "$tool_out"
	expect_line ' pass +constant: page 3, 1701273968$' "$tool_out"
	expect_line ' pass +beyond: <unreadable: .*>, <unreadable: .*>$' "$tool_out"
done

# Also in a condition.
run "$BIN/trace" "$TARGETS/untouched:pass (text == \"from a file\" && *number == 42) \"yes\"" --exec -- "$TARGETS/untouched" "$file"
expect_status 0
expect_count 1 ' pass +yes$' "$tool_out"
