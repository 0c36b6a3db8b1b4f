#!/bin/bash
source "$(dirname "$0")/../lib.sh"
# One line that names the thing, and the status of wrong usage.
wrong() { # REGEX ARG…
	local regex=$1
	shift
	run "$BIN/stackcount" "$@"
	expect_status 2
	expect_line "^stackcount: .*$regex" "$tool_err"
	expect_equal "$(cat "$tool_out")" ''
}
work=$TARGETS/stacks:work
wrong 'give a PROBE'
wrong '-U and -K' -K -U t:sched:sched_switch
wrong '-K: .*no kernel stack' -K "$work"
wrong '--top 0' --top 0 "$work"
wrong 'give one' --json -f "$work"
wrong 'give one' --svg "$T/x" -f "$work"
wrong 'there is no CPU 99999: the last one is [0-9]+' -c 99999 "$work"
wrong '0.*1048576' --stacks 0 "$work"
wrong 'stacks are counted, nothing is printed' "$work \"%d\", arg1"
wrong 'give -i' -n 3 "$work"
[ ! -e "$T/x" ] || fail 'the picture was begun'
run "$BIN/stackcount" "$TARGETS/stacks:wrok"
expect_status 1
expect_line 'work' "$tool_err"
run "$BIN/stackcount" malloc # one of the kernel, without a file
expect_line '^stackcount: .*c:malloc' "$tool_err"

run "$BIN/stackcount" --dry-run "$work"
expect_status 0
expect_line 'work' "$tool_out"
