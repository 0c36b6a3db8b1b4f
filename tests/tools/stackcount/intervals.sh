#!/bin/bash
# ring: first
# shares: stacks
source "$(dirname "$0")/../../lib.sh"
# -i shows what was added since the last interval, -T the time; -n ends the run, and so do -D and
# SIGTERM.
mkfifo "$T/go"
exec {go}<>"$T/go"
stdin=$T/go start_target_and_wait "$TARGETS/stacks" wait
run_tool stackcount -i 0.1 -T "$TARGETS/stacks:seldom"
wait_for "grep -q '^\[' '$tool_out'" 10
echo >&"$go"
wait_for "grep -q '^    1$' '$tool_out'" 10
lines=$(wc -l <"$tool_out")
wait_for "[ \$(wc -l <'$tool_out') -gt $lines ]" 10
stop_tool TERM
expect_status 0
expect_count 1 '^    1$' "$tool_out"
expect_line '^\[[0-9]{2}:[0-9]{2}:[0-9]{2}\]$' "$tool_out"

run "$BIN/stackcount" -i 0.05 -n 3 -T "$TARGETS/stacks:seldom"
expect_status 0
expect_count 3 '^\[' "$tool_out"
expect_line '^stackcount: no events$' "$tool_err"
run "$BIN/stackcount" -D 0.05 "$TARGETS/stacks:seldom"
expect_status 0
