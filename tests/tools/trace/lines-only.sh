#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Debug information without types (-g1) does not mean that a function takes and returns nothing.
run "$BIN/trace" "$TARGETS/lines:add \"%d %d\", arg1, arg2" --exec -- "$TARGETS/lines"
expect_line ' add +181 2$' "$tool_out"
run "$BIN/trace" "r:$TARGETS/lines:add \"%d\", retval" --exec -- "$TARGETS/lines"
expect_line ' add +183$' "$tool_out"
