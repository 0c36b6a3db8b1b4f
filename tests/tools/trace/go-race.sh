#!/bin/bash
# timeout: 240
source "$(dirname "$0")/../../lib.sh"

# A program with Go's race detector: C code after each of its memory accesses, and a different
# runtime. Each call is matched once, and nothing is reported that does not happen untraced.
source "$(dirname "$0")/../go.bash"
program=$T/returns
build_go "$program" returns.go -race || skip 'this Go has no race detector'
main=r:$program:main
run "$BIN/trace" --buffer 64M "$main.(*Worker).Do \"%d %d %d\", retval, \$entry(reg(\"rbx\")), \$entry(reg(\"rcx\"))" \
	"$main.try \"%d %d\", (long)retval, \$entry(-(long)reg(\"rax\"))" "$main.fall \"%d %d\", retval, \$entry(reg(\"rax\"))" \
	"$main.quit" "$program:main.quit (arg1 == 0) \"%d\", \$goid > 0" --exec -- "$program"
expect_status 0
expect_line '^total 539777$' "$tool_err"
expect_no_line 'lost|DATA RACE' "$tool_err"
expect_equal "$(returns_seen)" \
	"main.(*Worker).Do 41000 41000
main.fall 77 77
main.quit 20 0
main.try 20 20"

# The program ends as it does untraced.
run_tool trace "$main.fall \"%d\", retval"
status=0
GOMAXPROCS=2 GOGC=1 "$program" >"$T/out" 2>&1 || status=$?
stop_tool INT
expect_status 0
expect_equal "$status $(<"$T/out")" '3 total 539777'
