#!/bin/bash
# ring: first
# shares: stacks
source "$(dirname "$0")/../../lib.sh"
# --json prints the same stacks as objects.
need_command jq
run_tool stackcount --json "$TARGETS/stacks:work" -P
"$TARGETS/stacks"
stop_tool INT
expect_status 0
expect_equal "$(jq -s 'map(.count) | add' "$tool_out")" 11
expect_equal "$(jq -c 'select(.user_stack[1] == "often") | [.count, .comm, .user_stack[0:3], .kernel_stack, .cut]' "$tool_out")" \
	'[3,"stacks",["work","often","main"],[],null]'
expect_equal "$(jq -s 'map(.pid) | unique | length' "$tool_out")" 1

need_command objcopy
objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr "$TARGETS/stacks-omit" "$T/bare"
run_tool stackcount --json "$T/bare:work"
"$T/bare"
stop_tool INT
# Without unwind tables, the code is decoded up to its return.
expect_equal "$(jq -sc 'map([.pid, .cut]) | unique' "$tool_out")" '[[null,null]]'
expect_equal "$(jq -c 'select(.user_stack[1] == "often") | [.count, .user_stack[0:3]]' "$tool_out")" '[3,["work","often","main"]]'
