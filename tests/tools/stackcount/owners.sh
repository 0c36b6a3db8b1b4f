#!/bin/bash
# alone: CPUs have to be idle now and then
source "$(dirname "$0")/../../lib.sh"

# A line names the owner of stacks without a user stack: kernel threads, idle CPUs, and all stacks
# with -K.
mkfifo "$T/go"
exec 8<>"$T/go"
stdin=$T/go start_target_and_wait "$TARGETS/stacks" wait
run_tool stackcount -P -K -i 0.5 t:sched:sched_switch
echo >&8
wait "$target_pid" || true
wait_for "grep -q '^    swapper \[0\]$' '$tool_out'" 60 # on a busy machine no CPU is idle for long
stop_tool INT
expect_status 0
expect_line "^    stacks \[$target_pid\]$" "$tool_out"

for choice in '' -K; do
	for _ in {1..30}; do # on a busy machine CPUs are seldom idle
		# shellcheck disable=SC2086 # none, or one option
		run "$BIN/stackcount" $choice -D 0.3 -f t:sched:sched_switch
		expect_status 0
		! grep -q '^swapper;' "$tool_out" || break
	done
	expect_line '^swapper;.*;cpu_startup_entry;' "$tool_out"
	expect_no_line '^;' "$tool_out"
	# A call that does not return may be the last instruction of a function.
	expect_no_line ';__pfx_' "$tool_out"
done
# A kernel thread: writing back dirty pages makes one run.
run_tool stackcount --json -i 0.05 t:sched:sched_switch
wait_for "grep -q '\"kthread\"' '$tool_out'" 30
stop_tool INT
expect_line '"comm":"(kworker|rcu|ksoftirqd|jbd2|migration)[^"]*","user_stack":\[\],"kernel_stack":\[.*"kthread"' "$tool_out"
