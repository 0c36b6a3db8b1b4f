#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# -B: the literal of STRCMP is a C initializer: bytes and characters, including NULs.
run "$BIN/trace" -B "$TARGETS/values:show (STRCMP(\"{0x77, 0x69, 0x74, 104, 0x00, 0x6e}\", text)) \"%d\", length" --exec -- "$TARGETS/values"
expect_status 0
expect_count 1 'show +8$' "$tool_out"
expect_count 1 ' values ' "$tool_out"
run "$BIN/trace" -B "$TARGETS/values:show (STRCMP(\"{'w', '\\x69', 't', 104, '\\0', 'n'}\", text)) \"%d\", length" --exec -- "$TARGETS/values"
expect_status 0
expect_count 1 'show +8$' "$tool_out"
expect_count 1 ' values ' "$tool_out"
