#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# Return addresses are left alone, which has a price, and is said; what replaces them is asked for by name.
run "$BIN/trace" --dry-run "r:$TARGETS/names_cpp:main"
expect_status 0
expect_line '^trace: each return costs the program a single step' "$tool_err"
run "$BIN/trace" --dry-run --force-return probe "r:$TARGETS/names_cpp:main"
expect_line '^trace: beware: return addresses are replaced' "$tool_err"
run "$BIN/trace" --dry-run "p:$TARGETS/names_cpp:main"
expect_equal "$(cat "$tool_err")" ''
run "$BIN/trace" --dry-run --force-return never "r:$TARGETS/exits:plain"
expect_status 2
expect_line 'never is no way to see returns: exit or probe' "$tool_err"
