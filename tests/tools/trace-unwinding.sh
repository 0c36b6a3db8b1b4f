#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# Return addresses of a program that unwinds its stack are left alone, which has a price, and is said; in C programs
# the kernel's return probe is the cheaper one.
run "$BIN/trace" --dry-run "r:$TARGETS/names_cpp:main"
expect_status 0
expect_line '^trace: each return costs the program a single step.*names_cpp unwinds its stack' "$tool_err"
run "$BIN/trace" --dry-run --force-return probe "r:$TARGETS/names_cpp:main"
expect_line '^trace: beware: names_cpp unwinds its stack.*return addresses are replaced' "$tool_err"
# A leaf cannot be crossed.
run "$BIN/trace" --dry-run "r:$TARGETS/names_cpp:plain_cpp"
expect_equal "$(cat "$tool_err")" ''
run "$BIN/trace" --dry-run "p:$TARGETS/names_cpp:plain_cpp"
expect_equal "$(cat "$tool_err")" ''
run "$BIN/trace" --dry-run "r:$TARGETS/exits:plain"
expect_equal "$(cat "$tool_err")" ''
run "$BIN/trace" --dry-run --force-return never "r:$TARGETS/exits:plain"
expect_status 2
expect_line 'never is no way to see returns: exit or probe' "$tool_err"
