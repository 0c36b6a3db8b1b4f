#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# -U counts objects by stack. Each block is counted once, with the stack of the caller that
# allocated it.
need_command jq
start_worker "$TARGETS/leaks"
run_tool uobjnew -U --json -i 1 -l c "$target_pid"
# Prints [blocks, bytes] of all rows from number ROW on whose stack has one of the FRAMEs. On a busy
# machine, some of the first stacks may not be walked: they count in a row that says so. The second
# ones are walked, because the tool has the rules by then.
not_walked='[not walked: too many at once]'
allocated() { # ROW FRAME…
	jq -sc --argjson first "$1" '.[$first:] | map(select(.user_stack and any(.user_stack[]; IN($ARGS.positional[])))) |
		[(map(.count) | add), (map(.bytes) | add)]' --args "${@:2}" <"$tool_out"
}
work small
wait_for "[ '[20000,640000]' = \"\$(allocated 0 'keep_small()' '$not_walked')\" ]" 30
rows=$(wc -l <"$tool_out")
work drop small
stop_tool INT
expect_status 0
expect_equal "$(allocated 0 'keep_small()' "$not_walked")" '[40000,1280000]'
expect_equal "$(allocated "$rows" 'keep_small()')" '[20000,640000]'
expect_equal "$(allocated "$rows" "$not_walked")" '[null,null]'
expect_line '"keep_small\(\)"' "$tool_out"
expect_equal "$(jq -sc 'map(select(.user_stack and (.user_stack | index("keep_small()"))) | [.kernel_stack, .cut]) | unique' "$tool_out")" '[[[],null]]'
work drop

run_tool uobjnew -U -C 1 -l c "$target_pid"
work small
stop_tool INT
expect_equal "$(grep -A 2 -E '^malloc' "$tool_out" | grep -B 2 -F 'keep_small()' | tr -s ' ' | sed 's/32 .*/32/')" 'malloc: block size 32
 malloc
 keep_small()'
expect_equal "$(awk '/^malloc: block size 32 / { count += $5; bytes += $6 } END { print count, bytes }' "$tool_out")" '20000 640000'
work drop

run_tool uobjnew -U -f -l c "$target_pid"
work small
stop_tool INT
expect_line '^leaks;.*;main;(.*;)?keep_small\(\);malloc;malloc: block size 32 [0-9]+$' "$tool_out"
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
expect_line '^uobjnew: --folded needs stacks' "$tool_err"
