#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Stacks below each line: user functions demangled, with offsets and files; an empty line ends them.
shop=$TARGETS/demo
run "$BIN/trace" -M 1 -U "$shop:shop::Cart::total_cents" --exec -- "$shop" 1
expect_status 0
expect_line '^        shop::Cart::total_cents\(\) const\+0x[0-9a-f]+ \[demo\]$' "$tool_out"
expect_line '^        shop::place_order\(unsigned int\)\+0x[0-9a-f]+ \[demo\]$' "$tool_out"
expect_count 1 '^$' "$tool_out"

run "$BIN/trace" -M 1 -U -a "$shop:shop::pay" --exec -- "$shop" 1
expect_line '^        [ 0-9a-f]{16} shop::place_order\(unsigned int\)\+0x' "$tool_out"

run "$BIN/trace" -M 1 -K -U 't:syscalls:sys_enter_clock_nanosleep' --exec -- "$shop" 2
expect_status 0
expect_line '^        .*(do_syscall_64|entry_SYSCALL_64)[a-z_0-9]*\+0x[0-9a-f]+' "$tool_out"
expect_line '^        .*clock_nanosleep.*\[libc' "$tool_out"
run "$BIN/trace" -M 1 -K 't:syscalls:sys_enter_clock_nanosleep' --exec -- "$shop" 2
expect_no_line 'libc' "$tool_out"
