#!/bin/bash
# alone: the tool has to keep up: no stack may be cut
source "$(dirname "$0")/../../lib.sh"

# Assembly may save its caller's stack pointer in a register, or in memory. The kernel side also
# walks stacks through it: if it copied them instead, many would be cut.
[ "$(uname -m)" = x86_64 ] || skip 'the assembly is for x86-64'
program=$TARGETS/kept_pointers calls=300000
run_tool stackcount -f "$program:seen" "$program:inner" "$program:handled"
"$program" "$calls"
stop_tool INT
expect_status 0
expect_no_line 'cut' "$tool_out"
expect_line "^kept_pointers;_start;(.*;)?main;by_memory;seen $calls\$" "$tool_out"
expect_line "^kept_pointers;_start;(.*;)?main;by_register;inner $((calls + 10))\$" "$tool_out"
# A function that a signal interrupts had other registers than the signal handler.
expect_line '^kept_pointers;_start;(.*;)?main;by_register;inner;.*;handle;handled 10$' "$tool_out"
expect_equal "$(wc -l <"$tool_out")" 3

# Assembly without unwind tables: its caller is found by decoding the code, at any instruction:
# after test, and at ret.
run_tool stackcount -f "$program:without_table+5" "$program:without_table+0xe"
"$program" 1000
stop_tool INT
expect_status 0
expect_equal "$(sed -E 's/;_start;(.*;)?main;/;main;/' "$tool_out")" 'kept_pointers;main;without_table 2000'
