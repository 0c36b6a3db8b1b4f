#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/language.bash"
need_command jq

# As many waits of each thread as the kernel counts until the thread ends, also where it does not tell of a switch.
start_worker "$TARGETS/polls"
run_tool offcputime -p "$target_pid" --json
work once
stop_tool INT
expect_status 0
jq -rs 'map(select(.why != "preempted" and .syscall != "exit")) | group_by(.tid)[] | "thread \(.[0].tid) \(map(.count) | add)"' \
	"$tool_out" | grep -v "^thread $target_pid " >"$T/seen"
expect_equal "$(cat "$T/seen")" "$(grep '^thread ' "$target_out" | sort -n -k 2)"
