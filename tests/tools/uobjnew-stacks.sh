#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/language.bash"

# Who makes the objects: -U counts them by stack, too. Each block is counted once, with the stack of whoever asked for it.
need_command jq
start_worker "$TARGETS/leaks"
run_tool uobjnew -U --json -l c "$target_pid"
work small
stop_tool INT
expect_status 0
made() { # BY: bytes and blocks
	jq -sc "map(select(.user_stack and (.user_stack | index(\"$1\")))) | [(map(.count) | add), (map(.bytes) | add)]" "$tool_out"
}
expect_equal "$(made 'keep_small()')" '[20000,640000]'
expect_equal "$(jq -sc 'map(select(.user_stack) | [.kernel_stack, .cut]) | unique' "$tool_out")" '[[[],null]]'
work drop

run_tool uobjnew -U -C 1 -l c "$target_pid"
work small
stop_tool INT
expect_equal "$(grep -A 2 -E '^malloc' "$tool_out" | tr -s ' ')" 'malloc: block size 32 20000 640000
 malloc
 keep_small()'
work drop

run_tool uobjnew -U -f -l c "$target_pid"
work small
stop_tool INT
expect_line '^leaks;.*;main;(.*;)?keep_small\(\);malloc;malloc: block size 32 640000$' "$tool_out"
stop_target KILL
start_worker "$TARGETS/allocate"
run_tool uobjnew -U --svg "$T/made.svg" -l c "$target_pid"
work x
stop_tool TERM
expect_status 0
expect_equal "$(cat "$tool_out")" ''
expect_line '<title>malloc: block size 1001 \(10,?010 bytes' "$T/made.svg"

run "$BIN/uobjnew" -f -l c "$target_pid"
expect_status 2
expect_line '^uobjnew: --folded is about stacks' "$tool_err"
