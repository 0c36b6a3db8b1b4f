#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# What cannot be read says so, and is not empty: NULL, an address of nothing, a page without permission.
run "$BIN/trace" "$TARGETS/values:show (length == 5) \"<%s> <%d> <%s>\", text, *text, str(text, 5)" "$TARGETS/values:show (text == \"\") \"empty: <%s>\", text" \
	"$TARGETS/values:show (length == 5 && *text == 0) \"wrong\"" --exec -- "$TARGETS/values"
expect_status 0
expect_count 3 ' show +<<unreadable: [A-Z][a-z ]+>> <<unreadable: [A-Z][a-z ]+>> <<unreadable: [A-Z][a-z ]+>>$' "$tool_out"
expect_count 1 ' show +empty: <>$' "$tool_out"
