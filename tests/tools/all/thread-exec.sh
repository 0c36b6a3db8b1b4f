#!/bin/bash
# timeout: 200
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# A thread other than the main one executes a program: the tool attaches its probes again and says
# so.
again='lost its probes when a thread other than its main thread executed a program; they are attached again'
execute() {
	local ready notes
	ready=$(grep -c ready "$target_out")
	notes=$(grep -c "$again" "$tool_err") || true
	echo exec >&7
	wait_for "[ \$(grep -c ready '$target_out') -gt $ready ]" 20
	wait_for "[ \$(grep -c '$again' '$tool_err') -gt $notes ]" 20
}
for way in session multi tracefs perf; do
	start_worker "$TARGETS/thread_exec"
	run_tool funccount -p "$target_pid" --force-path "$way" "$TARGETS/thread_exec:step"
	work x
	execute
	work x x
	stop_tool INT
	expect_status 0
	expect_line '^step +30$' "$tool_out"
	stop_target KILL
done

start_worker "$TARGETS/thread_exec"
run_tool trace -p "$target_pid" "$TARGETS/thread_exec:step \"%d\", arg1" 't:syscalls:sys_enter_getppid'
work x
execute
work x
execute
work x
stop_tool INT
expect_count 30 ' step +[0-9]$' "$tool_out"
