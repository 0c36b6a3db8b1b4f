#!/bin/bash
# shares: stacks
source "$(dirname "$0")/../../lib.sh"
# Processes that have ended or executed another program before their stacks are named; one of them
# was waiting when tracing started.
mkfifo "$T/go"
exec {go}<>"$T/go"
stdin=$T/go start_target_and_wait "$TARGETS/stacks" wait
run_tool stackcount -f "$TARGETS/stacks:seldom" "$TARGETS/short-lived:work" "$TARGETS/execs:work"
echo >&"$go"
wait "$target_pid"
for _ in 1 2 3 4 5; do
	"$TARGETS/short-lived"
done
"$TARGETS/execs" "$TARGETS/short-lived"
stop_tool INT
expect_status 0
expect_line '^stacks;_start;([^;]*;)*main;seldom 1$' "$tool_out"
expect_line '^short-lived;_start;([^;]*;)*main;work 6$' "$tool_out"
expect_line '^execs;_start;([^;]*;)*main;before;work 3$' "$tool_out"
expect_equal "$(wc -l <"$tool_out")" 3
