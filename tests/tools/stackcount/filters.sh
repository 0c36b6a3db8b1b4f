#!/bin/bash
# shares: stacks
source "$(dirname "$0")/../../lib.sh"
# Counts only events that match: conditions, CPUs (0 is valid), names, users.
work=$TARGETS/stacks:work
counted() { # OPTION… PROBE
	run_tool stackcount -f "$@"
	taskset -c 0 "$TARGETS/stacks"
	stop_tool INT
	expect_status 0
	awk '{ sum += $NF } END { print sum + 0 }' "$tool_out"
}
expect_equal "$(counted "$work")" 11
expect_equal "$(counted "p:$work(int number) (number >= 200)")" 6
expect_equal "$(counted -c 0 "$work")" 11
if [ "$(nproc)" -gt 1 ]; then
	expect_equal "$(counted -c 1 "$work")" 0
	expect_equal "$(counted -c 1 "p:$work(int number) (number >= 200)")" 0
fi
expect_equal "$(counted -c 0 "p:$work(int number) (number >= 200 || number == 1)")" 7
expect_equal "$(counted --comm stacks "$work")" 11
expect_equal "$(counted --comm other "$work")" 0
expect_equal "$(counted --uid "$(id -u)" "$work")" 11
expect_equal "$(counted --uid 54321 "$work")" 0
expect_equal "$(counted --top 1 "$work")" 3
# Several probes, patterns, returns: the stack starts with the function, which is about to return.
expect_equal "$(counted "$TARGETS/stacks:[os]*[nm]" "$work")" 13
expect_equal "$(counted -r "$TARGETS/stacks:(often|seldom)$" "$work")" 13
expect_equal "$(counted -r --comm stacks "t:syscalls:sys_enter_exit_gr")" 1
run_tool stackcount -f "r:$TARGETS/stacks:work"
"$TARGETS/stacks"
stop_tool INT
expect_line ';main;often;work 3$' "$tool_out"
# A USDT probe.
run_tool stackcount "u:$TARGETS/demo:*"
"$TARGETS/demo" 2
stop_tool INT
expect_line '^  shop::' "$tool_out"
