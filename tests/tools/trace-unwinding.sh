#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# The kernel's return probes and C++ exceptions do not go together: said before it can hurt, for C++ only.
run "$BIN/trace" --dry-run "r:$TARGETS/names_cpp:plain_cpp"
expect_status 0
expect_line '^trace: beware: a C\+\+ exception' "$tool_err"
run "$BIN/trace" --dry-run "p:$TARGETS/names_cpp:plain_cpp"
expect_equal "$(cat "$tool_err")" ''
run "$BIN/trace" --dry-run "r:$TARGETS/flood:flood"
expect_equal "$(cat "$tool_err")" ''
