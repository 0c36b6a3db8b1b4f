#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Code that a program has made at run time belongs to no file: tplist does not mention it.
start_target_and_wait "$TARGETS/anonymous"
grep -q '/memfd:code' "/proc/$target_pid/maps" && grep -q '/dev/zero' "/proc/$target_pid/maps"
run "$BIN/tplist" -p "$target_pid"
expect_equal "$(grep -v 'has no USDT probes' "$tool_err")" ''
