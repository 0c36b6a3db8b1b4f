# shellcheck shell=sh
. /kernels/lib.sh

# Arguments and results of Go functions. On arm64, a message says that Go's calling convention is unknown.
program=/targets/go-values
[ -x "$program" ] || skip 'the machine has no Go'
run trace --exec "p:$program:main.greet" -- "$program"
expect_status 0
expect_line ' main\.greet( |$)' "$tool_out"
if [ "$(uname -m)" != x86_64 ]; then
	run trace "p:$program:main.greet \"%d\", arg3"
	expect_status 2
	expect_line 'arg3: arguments of Go functions are supported on x86-64 only$' "$tool_err"
	run trace "r:$program:main.greet"
	expect_status 1
	expect_line 'returns of Go functions can be traced on x86-64 only: trace the entries$' "$tool_err"
	exit
fi
run trace --exec "p:$program:main.greet \"%s %d\", name, times" "r:$program:main.named \"%d %s\", half, text" -- "$program"
expect_status 0
expect_line ' main\.greet +Ann.*B 3$' "$tool_out"
expect_line ' main\.named +4 half of 9$' "$tool_out"
