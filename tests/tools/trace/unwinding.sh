#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# By default the tool does not replace return addresses; it reports what that costs. --force-return
# selects the method that replaces them.
run "$BIN/trace" --dry-run "r:$TARGETS/names_cpp:main"
expect_status 0
expect_line '^trace: returns at 1 of 1 exits cost about 2-20 us each here; see uscope-probes\(7\)$' "$tool_err"
run "$BIN/trace" --dry-run --force-return probe "r:$TARGETS/names_cpp:main"
expect_line "^trace: beware: the kernel's return probe replaces return addresses" "$tool_err"
run "$BIN/trace" --dry-run "p:$TARGETS/names_cpp:main"
expect_equal "$(cat "$tool_err")" ''
run "$BIN/trace" --dry-run --force-return never "r:$TARGETS/exits:plain"
expect_status 2
expect_line '"never" is not a return method; use exit or probe' "$tool_err"
