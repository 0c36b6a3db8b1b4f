#!/bin/bash
# timeout: 240
# run: when named
source "$(dirname "$0")/../../lib.sh"

# As go-returns.sh, in a position-independent, stripped program. Go compiles its library again for
# that, so `make versions` runs this; older-go.sh and newest-go.sh have such programs of the oldest
# and the newest Go.
need_command strip
source "$(dirname "$0")/../go.bash"
program=$T/returns
build_go "$program" returns.go -buildmode=pie
strip "$program"
run "$BIN/trace" --buffer 64M "r:$program:main.(*Worker).Do (retval == \$entry(reg(\"rbx\") + reg(\"rcx\")))" --exec -- "$program"
expect_status 0
expect_line '^total 539777$' "$tool_err"
expect_count 41000 ' main\.\(\*Worker\)\.Do( |$)' "$tool_out"
