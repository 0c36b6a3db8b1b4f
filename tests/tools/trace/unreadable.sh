#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# trace marks a value that it cannot read instead of showing it as empty: a text at NULL, at an unmapped
# address, and in a page without read permission.
run "$BIN/trace" "$TARGETS/values:show (length == 5) \"<%s> <%d> <%s>\", text, *text, str(text, 5)" "$TARGETS/values:show (text == \"\") \"empty: <%s>\", text" --exec -- "$TARGETS/values"
expect_status 0
expect_count 2 ' show +<<unreadable: [A-Z][a-z ]+>> <<unreadable: [A-Z][a-z ]+>> <<unreadable: [A-Z][a-z ]+>>$' "$tool_out"
expect_count 1 ' show +<NULL> <<unreadable: Bad address>> <NULL>$' "$tool_out"
expect_count 1 ' show +empty: <>$' "$tool_out"

# A condition that has to read such a value does not hold, even if it is negated. A condition that
# is decided without the value may hold.
run "$BIN/trace" "$TARGETS/values:show (length == 5 && *text == 0) \"wrong\"" "$TARGETS/values:show (length == 5 && !*text) \"wrong\"" \
	"$TARGETS/values:show (length == 5 && text != \"x\") \"wrong\"" "$TARGETS/values:show (*text == 1 || length == 5) \"wrong\"" \
	"$TARGETS/values:show (length == 5 && !(8 / (length - 5))) \"wrong\"" "$TARGETS/values:show (length == 5 && (length < 6 || *text)) \"right\"" --exec -- "$TARGETS/values"
expect_status 0
expect_count 3 ' show +right$' "$tool_out"
expect_no_line wrong "$tool_out"
