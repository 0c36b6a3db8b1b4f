#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
need_command objdump

# In stacks, a stub of the procedure linkage table (PLT) is named after the function that it calls,
# not after _init, which precedes the stubs and has no size.
program=$TARGETS/spin
stub=$(objdump -d --section=.plt --section=.plt.sec "$program" | sed -n 's/^0*\([0-9a-f]*\) <puts@plt>:$/0x\1/p' | tail -n 1)
[ -n "$stub" ] || skip "the program does not call puts() through a stub"
run "$BIN/trace" -M 1 -U "p:$program:$stub" --exec -- "$program"
expect_status 0
expect_equal "$(sed -n 's/+.*//; /^        /p' "$tool_out" | head -n 2)" "        puts@plt
        main"
