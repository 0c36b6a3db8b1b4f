#!/bin/bash
# alone: the tool has to attach within the 0.3 s that its target runs
source "$(dirname "$0")/../../lib.sh"

# Traces only the requested processes, also with tracepoints; the run ends when they end.
target=$TARGETS/demo
start_target "$target" 3
run_tool funccount -p "$target_pid" "$target:main" 't:sched:sched_switch'
"$TARGETS/demo" 1 >"$T/other"
stop_tool
expect_status 0
expect_no_line '^main' "$tool_out"

run_tool funccount -P -p $$ 't:sched:sched_switch'
"$TARGETS/demo" 1 >"$T/other"
stop_tool INT
expect_equal "$(awk '/^sched_switch/ { print $2 }' "$tool_out" | sort -u)" $$

run_tool funccount --comm calls "$TARGETS/calls:plain"
"$TARGETS/calls" 1 plain:3
(cp "$TARGETS/calls" "$T/others" && "$T/others" 1 plain:3)
stop_tool INT
expect_line '^plain +3$' "$tool_out"

# -F includes the processes that a process starts; also spelled --follow-forks.
for follow in -F --follow-forks; do
	run_tool funccount $follow -p $$ "$TARGETS/calls:plain"
	"$TARGETS/calls" 1 plain:9
	stop_tool INT
	expect_line '^plain +9$' "$tool_out"
done

# -c: only events on one CPU.
last=$(($(getconf _NPROCESSORS_CONF) - 1))
for cpu in 0 $last; do
	run_tool funccount -c "$cpu" "$TARGETS/calls:plain"
	taskset -c 0 "$TARGETS/calls" 1 plain:9
	stop_tool INT
	expect_status 0
	if [ "$cpu" -eq 0 ]; then
		expect_line '^plain +9$' "$tool_out"
	else
		expect_no_line '^plain' "$tool_out"
		expect_equal "$(cat "$tool_err")" 'funccount: none of the traced functions and probes was hit'
	fi
done
