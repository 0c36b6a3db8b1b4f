#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# System calls of any program, by name, with their times.
mkfifo "$T/words"
exec 7<>"$T/words"
stdin=$T/words start_target cat
echo ready >&7
wait_for "grep -q ready '$target_out'" 10
run_tool ucalls -S -L -l none --json "$target_pid"
for i in 1 2 3; do
	echo "line $i" >&7
	wait_for "grep -q 'line $i' '$target_out'" 10
done
stop_tool INT
expect_status 0
expect_line '"kind":"syscall","method":"write","calls":3,"duration_ns":[0-9]+}$' "$tool_out"
expect_line '"method":"read","calls":3,' "$tool_out"

# -m is the unit of times; without times, a note says that it has no effect.
for options in -mS -mSL -mSH; do
	run_tool ucalls "$options" -l none "$target_pid"
	echo "$options" >&7
	wait_for "grep -q -- '^$options\$' '$target_out'" 10
	stop_tool INT
	expect_status 0
	note='^ucalls: -m has no effect without -L or -H: calls are only counted$'
	if [ "$options" = -mS ]; then
		expect_line "$note" "$tool_err"
		expect_no_line 'TOTAL' "$tool_out"
	else
		expect_no_line "$note" "$tool_err"
		expect_line 'TOTAL' "$tool_out"
		expect_line '^write +[0-9]+ +[0-9]+\.[0-9]{2}ms' "$tool_out"
	fi
done
