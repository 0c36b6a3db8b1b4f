#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# -f shows only messages that contain the text, after formatting.
run "$BIN/trace" -f 'size 3' -f 'not there' "$TARGETS/values:show \"size %d of %s\", length, text" "$TARGETS/values:sum" --exec -- "$TARGETS/values"
expect_status 0
expect_count 1 ' values ' "$tool_out"
expect_line ' show +size 3 of oct$' "$tool_out"
run "$BIN/trace" --msg-filter 'not there' "$TARGETS/values:show \"size %d of %s\", length, text" --exec -- "$TARGETS/values"
expect_status 0
expect_no_line ' values ' "$tool_out"
