#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# All attach methods show the same: arguments, returns with values from their entry, the right
# function for each event, USDT probes with operands of all kinds and semaphores.
[ "$(uname -m)" = x86_64 ] || skip 'the operands are for x86-64'
values=$TARGETS/values operands=$TARGETS/operands
seen() { # prints the lines of two programs, without PIDs
	sed -nE 's/^[0-9]+ +[0-9]+ +(values|operands) /\1/p' "$tool_out" | sort
}
wanted=''
for path in session multi tracefs perf; do
	run "$BIN/trace" --force-path "$path" "p:$values:[sn]* \"\"" "r:$values:[sn]* \"\"" "p:$values:put \"%d\", arg3" \
		"r:$values:factorial(int n) \"%d! %d\", \$entry(n), retval" --exec -- "$values"
	expect_status 0
	lines=$(seen)
	run "$BIN/trace" --force-path "$path" "u:$operands:operand:[cp]* \"%d\", arg1" "u:$operands:index \"%d\", arg4" \
		--exec -- "$operands"
	expect_status 0
	lines+=$(seen)
	expect_equal "$(grep -c 'sum' <<<"$lines")" 4
	expect_equal "$(grep -c 'counted *1$' <<<"$lines")" 1
	expect_equal "$lines" "${wanted:=$lines}"
done
