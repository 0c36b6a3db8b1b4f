#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# trace shows each return of a Go function once, with the values from the same call's entry, while
# stacks move, goroutines change threads, the garbage collector runs, and panics and Goexit end
# calls without a return. The program behaves as without the tool.
source "$(dirname "$0")/../go.bash"
program=$T/returns
build_go "$program" returns.go
export GOMAXPROCS=2 GOGC=1

# main.try returns the result of its deferred function; main.choose uses a jump table; main.large
# has a frame above 4 KB.
main=r:$program:main
run "$BIN/trace" --buffer 64M "$main.(*Worker).Do \"%d %d %d\", retval, \$entry(reg(\"rbx\")), \$entry(reg(\"rcx\"))" \
	"$main.try \"%d %d\", (long)retval, \$entry(-(long)reg(\"rax\"))" \
	"$main.fall \"%d %d\", retval, \$entry(reg(\"rax\"))" \
	"$main.quit" "$main.choose \"%d %d\", retval, \$entry(10 + reg(\"rax\"))" \
	"$main.large \"%d %d\", retval, \$entry(reg(\"rax\"))" \
	"$main.nap (\$latency > 30000000) \"%d %d\", retval, \$entry(reg(\"rax\"))" --exec -- "$program"
expect_status 0
expect_line '^total 539777$' "$tool_err"
expect_no_line 'lost' "$tool_err"
expect_equal "$(returns_seen)" \
	"main.(*Worker).Do 41000 41000
main.choose 10 10
main.fall 77 77
main.large 10 10
main.nap 1 1
main.try 20 20"
expect_equal "$(awk '$4 == "main.(*Worker).Do" { print $6, $7 }' "$tool_out" | sort -u | wc -l)" 41000

# A return probe that uses no value from the entry places no probe at the entry.
run "$BIN/trace" --dry-run "r:$program:main.choose \"%d\", retval"
expect_status 0
expect_line " main.choose at 0x[0-9a-f]+ \(file offset 0x[0-9a-f]+\), returns at( 0x[0-9a-f]+){10}\$" "$tool_out"
expect_no_line 'program at entry' "$tool_out"
run "$BIN/trace" "r:$program:main.choose \"%d %d\", retval, reg(\"bx\") * 0" "r:$program:main.main.func?" --exec -- "$program"
expect_status 0
expect_equal "$(awk '$4 == "main.choose" { print $5, $6 }' "$tool_out" | xargs)" \
	'10 0 11 0 12 0 13 0 14 0 15 0 16 0 17 0 18 0 19 0'
expect_equal "$(awk '{ print $4 }' "$tool_out" | grep -F main.main.func | sort | uniq -c | xargs)" \
	'1000 main.main.func1 20 main.main.func2'
