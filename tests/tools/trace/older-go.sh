#!/bin/bash
# timeout: 400
# shares: bullseye
source "$(dirname "$0")/../../lib.sh"

# Programs built by Go 1.15, which passes everything on the stack and keeps the goroutine in
# thread-local memory: with symbols and stripped, at a fixed address and position-independent.
need_command strip
source "$(dirname "$0")/../go.bash"

build_newer_go bullseye 1.15 "$T/interfaces" interfaces.go
program=$T/interfaces
run "$BIN/trace" "$program:main.show \"%s %d %d\", value, tail, \$goid == 1" \
	"r:$program:main.failure \"%d %s\", retval0, retval1" "r:$program:main.point \"%d %s\", retval.left, retval.right" \
	"p:$program:main.show (arg3 == 10) \"%d third\", arg3" --exec -- "$program"
expect_status 0
for message in 'show +&main\.Missing\{Code:404, Text:"no page"\} 10 1' 'show +main\.Level\(3\) 9 1' 'show +<nil> 0 1' \
	'show +some text 7 1' 'show +10 third' 'failure +0 a plain error' 'failure +2 open /nowhere/at all: no such file or directory' \
	'failure +5 context deadline exceeded' 'failure +10 <nil>' 'point +8 point'; do
	expect_count 1 " main\.$message\$" "$tool_out"
done

# Each return once, with the values from its own entry, while stacks move, goroutines change threads
# and the garbage collector runs.
export GOMAXPROCS=2 GOGC=1
entry() { echo "\$entry(*(long *)(reg(\"rsp\") + $1))"; }
returned() { echo "*(long *)(reg(\"rsp\") + $1)"; }
expect_returns() { # PROGRAM
	local main=r:$1:main
	run "$BIN/trace" --buffer 64M "$main.(*Worker).Do \"%d %d %d\", $(returned 32), $(entry 16), $(entry 24)" \
		"$main.try \"%d %d\", $(returned 16), -$(entry 8)" "$main.fall \"%d %d\", $(returned 24), $(entry 8)" "$main.quit" \
		"$main.choose \"%d %d\", $(returned 16), 10 + $(entry 8)" "$main.large \"%d %d\", $(returned 16), $(entry 8)" \
		"$main.nap (\$latency > 30000000 && \$goid == 1) \"%d %d\", $(returned 16), $(entry 8)" --exec -- "$1"
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
}
build_newer_go bullseye 1.15 "$T/returns" returns.go
expect_returns "$T/returns"
run "$BIN/trace" "r:$T/returns:main.try \"%d %d\", (long)retval, \$entry(-(long)n)" \
	"r:$T/returns:main.large \"%d %d\", retval0, \$entry(n)" --exec -- "$T/returns"
expect_equal "$(awk '$3 ~ /^returns/ { calls[$4]++; right[$4] += $5 == $6 } END { for (name in calls) print name, calls[name], right[name] }' \
	"$tool_out" | sort | xargs)" 'main.large 10 10 main.try 20 20'
run_tool funclatency -F "$T/returns:main.(*Worker).Do"
"$T/returns" >/dev/null || true
stop_tool INT
expect_line 'count: 41000$' "$tool_out"
run_tool argdist -C "r:$T/returns:main.choose():long:retval" -C "p:$T/returns:main.fall():long:n"
"$T/returns" >/dev/null || true
stop_tool INT
expect_count 10 '^\s+1 +retval = 1[0-9]$' "$tool_out"
expect_line '^\s+40 +n = 0$' "$tool_out"
strip "$T/returns"
expect_returns "$T/returns"
run "$BIN/trace" "r:$T/returns:main.try \"%d\", retval"
expect_status 2
expect_line '^trace: retval: before Go 1\.17 results are on the stack after the arguments' "$tool_err"

build_newer_go bullseye 1.15 "$T/returns" returns.go -buildmode=pie
strip "$T/returns"
expect_returns "$T/returns"
