#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/waits.bash"

# Which waits are left out as waits for work: those of pools, but not those for a lock, an answer,
# a result or the end of another thread.
expect_idle() { # NAME
	expect_line "\"why\":\"wait\",\"idle\":true,.*\"comm\":\"$1\"" "$tool_out"
}
expect_shown() { # NAME
	expect_line "\"why\":\"(timed )?wait\",\"idle\":false,.*\"comm\":\"$1\"" "$tool_out"
	expect_no_line "\"idle\":true,.*\"comm\":\"$1\"" "$tool_out"
}

mkfifo "$T/input"
exec 7<>"$T/input" # nobody writes: readers wait
stdin=$T/input start_target_and_wait "$TARGETS/pools"
run_tool offcputime -p "$target_pid" -m 1ms --json -D 1
stop_tool
expect_status 0
expect_idle pool
for name in reply joiner future; do
	expect_shown "$name"
done

# Folded lines leave them out, and a note says how much.
run_tool offcputime -p "$target_pid" -m 1ms -f -D 1
stop_tool
expect_status 0
expect_line '^reply;.*await_reply' "$tool_out"
expect_no_line '^pool;.*pthread_cond_wait' "$tool_out"
expect_line '^offcputime: waits of [0-9.]+m?s are left out: of threads that wait for work or are preempted \(--all\)$' "$tool_err"
run_tool offcputime -p "$target_pid" -m 1ms -f --all -D 1
stop_tool
expect_line '^pool;.*pthread_cond_wait' "$tool_out"
expect_no_line 'left out' "$tool_err"
stop_target
