#!/bin/bash
# ring: first
# shares: stacks
source "$(dirname "$0")/../../lib.sh"
# -P separates processes with the same stacks, and prints their names.
run_tool stackcount -P "$TARGETS/stacks:seldom"
start_target "$TARGETS/stacks"
first=$target_pid
wait "$first"
start_target "$TARGETS/stacks"
second=$target_pid
wait "$second"
stop_tool INT
expect_status 0
expect_count 1 "^    stacks \[$first\]$" "$tool_out"
expect_count 1 "^    stacks \[$second\]$" "$tool_out"
expect_count 2 '^    1$' "$tool_out"

# Without -P they are merged; and separate again with -p, also with several PIDs.
run_tool stackcount "$TARGETS/stacks:seldom"
"$TARGETS/stacks"
"$TARGETS/stacks"
stop_tool INT
expect_count 1 '^    2$' "$tool_out"
expect_no_line '^    stacks' "$tool_out"

mkfifo "$T/go1" "$T/go2" "$T/go3"
pids=() go=()
for i in 1 2 3; do
	exec {fd}<>"$T/go$i"
	go+=("$fd")
	stdin=$T/go$i start_target_and_wait "$TARGETS/stacks" wait
	pids+=("$target_pid")
done
run_tool stackcount -p "${pids[0]}" -p "${pids[1]}" "$TARGETS/stacks:seldom"
for i in 3 2 1; do
	echo >&"${go[i - 1]}"
	wait "${pids[i - 1]}"
done
stop_tool # it ends after both processes
expect_status 0
expect_equal "$(sed -n 's/^    stacks \[\(.*\)\]$/\1/p' "$tool_out" | sort -n | xargs)" \
	"$(printf '%s\n' "${pids[@]:0:2}" | sort -n | xargs)"
