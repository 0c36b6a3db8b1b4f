#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"
need_command jq

# Each thread has as many waits as the kernel counts until it ends, even if the kernel reports no
# event for a switch.
start_worker "$TARGETS/polls"
run_tool offcputime -p "$target_pid" --json
work once
stop_tool INT
expect_status 0
jq -rs 'map(select(.why != "preempted" and .syscall != "exit")) | group_by(.tid)[] | "thread \(.[0].tid) \(map(.count) | add)"' \
	"$tool_out" | grep -v "^thread $target_pid " >"$T/seen"
expect_equal "$(cat "$T/seen")" "$(grep '^thread ' "$target_out" | sort -n -k 2)"
