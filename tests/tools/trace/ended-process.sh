#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# A process that has ended but is still listed, and a PID without a process: the error says which it
# is.
refused() { # MESSAGE TOOL OPTION…
	local message=$1
	shift
	run timeout 5 "$BIN/$1" "${@:2}"
	expect_status 1
	expect_equal "$(cat "$tool_out" "$tool_err")" "$1: $message"
}
# shellcheck disable=SC2016 # expanded by that shell
start_target_and_wait bash -c 'sleep 0 & echo $!; exec sleep 1000'
zombie=$(<"$target_out")
wait_for "! alive $zombie" 10
message="process $zombie has ended and waits for its parent (zombie)"
refused "$message" trace -p "$zombie" c:open
refused "$message" trace -p "$zombie" t:sched:sched_switch
refused "$message" tplist -p "$zombie"
refused "$message" tplist -p "$zombie" -l c

grep -qs '^2 (kthreadd)' /proc/2/stat || skip 'kernel threads are not visible here'
message='process 2 is a kernel thread: it maps no files'
refused "$message" trace -p 2 c:open
refused "$message" trace -p 2 'u::*'
refused "$message" tplist -p 2
# A kernel thread reaches tracepoints.
run "$BIN/trace" -p 2 t:sched:sched_switch --dry-run
expect_status 0
