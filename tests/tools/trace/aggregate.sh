#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# -A with -M: equal lines are printed once, with their counts, the most frequent first.
run "$BIN/trace" -A -M 3 "$TARGETS/values:show (starts_with(text, \"oct\")) \"%.3s\", text" --exec -- "$TARGETS/values"
expect_status 0
expect_line ' show +oct$' "$tool_out"
expect_count 1 '^-->COUNT 3$' "$tool_out"
expect_count 1 ' values ' "$tool_out"
run "$BIN/trace" -A -M 5 "$TARGETS/values:name_of \"a\"" "$TARGETS/values:put \"b\"" "$TARGETS/values:factorial (n == 1) \"c\"" \
	--exec -- "$TARGETS/values"
expect_equal "$(awk '/ values / { line = $NF } /COUNT/ { print line, $2 }' "$tool_out" | xargs)" 'a 2 b 2 c 1'
