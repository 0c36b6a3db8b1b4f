#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# What is wrong with a probe's text is shown by a caret under the place: status 2, nothing on standard output, nothing run.
# privileges: none
wrong() { # MESSAGE PROBE, with a ^ before the place that the caret marks
	local before=${2%%^*} probe=${2/^/}
	run "$BIN/trace" "$probe" --exec -- "$TARGETS/values"
	expect_status 2
	expect_equal "$(cat "$tool_out")" ''
	expect_line "^trace: .*$1" "$tool_err"
	expect_equal "$(tail -n +2 "$tool_err")" "  $probe
  ${before//?/ }^"
}
cd "$TARGETS" # a short path: only the part of a long text that is round the caret is shown
values=./values
wrong 'not closed' "$values:sum ^(a > b"
wrong 'not closed' "$values:sum ^\"%d, a"
wrong 'not closed' "$values:sum^(int a"
wrong 'expected a value' "$values:sum \"%d\", a +^"
wrong 'expected a value' "$values:sum (a >^ )"
wrong '1 value.* 0 ' "$values:sum \"^%d\""
wrong '1 value.* 2 ' "$values:sum \"^%d\", a, b"
wrong 'no floating-point value: .*%d.*as_double\(\)' "$values:sum \"%f\", ^a"
wrong 'no floating-point value' "$values:sum \"%g\", arg1 ^+ 1"
wrong '%q is not a conversion' "$values:sum \"x ^%q\", a"
wrong 'expected' "$values:sum \"%d\" a ^b"
wrong 'expected' "$values:sum (a) ^(b)"
wrong 'expected' "$values:sum ^what is this"
wrong 'nothing is named c' "$values:sum (^c == 1)"
wrong 'nothing is named \$foo' "$values:sum \"%d\", a + ^\$foo"
wrong 'nothing is named arg0' "$values:sum \"%d\", ^arg0"
wrong 'did you mean .*length' "$values:show \"%d\", ^lenght"
wrong 'no function foo' "$values:sum \"%d\", 1 + ^foo(a)"
wrong 'no member nme.*name' "$values:visit (node->^nme == 1)"
wrong 'no members' "$values:sum (a->^x)"
wrong 'no elements' "$values:sum \"%d\", a^[0]"
wrong 'cannot be followed' "$values:sum \"%d\", ^*b"
wrong 'not a pointer to a string' "$values:sum \"%s\", ^a"
wrong 'points to struct node, not to characters: name one of its members \(.*name.*\), or cast it' "$values:visit \"%s\", ^node"
wrong "use '=='" "$values:sum (a ^= 7)"
wrong 'division by zero' "$values:sum \"%d\", 1 ^/ 0"
wrong 'does not fit' "$values:sum \"%d\", ^99999999999999999999999"
wrong 'one character' "$values:sum \"%d\", ^'ab'"
wrong 'not closed' "$values:show (text == ^\"abc)"
wrong 'no type' "$values:sum \"%d\", ^(strukt x *)a"
wrong 'two parameters are named x' "$values:sum(int x, int ^x) \"%d\", x"
wrong 'strange_t' "$values:sum(int x, strange_t y) \"%d\", ^y"
wrong 'only.* on return|known on return' "$values:sum \"%d\", ^\$entry(a)"
wrong 'on return' "$values:sum \"%d\", ^\$latency"
wrong 'no return value' "$values:sum \"%d\", ^retval"
wrong 'use \$entry\(a\)' "r:$values:sum \"%d\", ^a"
wrong 'structure in registers.*reg\("rax"\)' "r:$values:make_pair \"%d\", ^retval"
wrong 'floating-point value' "r:$values:halve \"%f\", ^retval"
wrong 'nothing returns nothing' "r:$values:nothing (^retval == 0)"
wrong 'put\(int fd, void \*data, size_t size\) has 3 parameters' "$values:put \"%d\", ^arg4"
wrong 'mixed\(double ratio, .*\) has integer arguments up to arg2' "$values:mixed \"%d\", ^arg3"
wrong 'visit\(struct node \*node\) has 1 parameter$' "r:$values:visit \"%d\", \$entry(^arg2)"
wrong 'nothing\(\) has no parameters' "$values:nothing (^arg1)"
wrong 'floating' "$values:mixed \"%d\", ^ratio"
wrong 'outside' "$values:^sum+0x100"
wrong 'not the start of an instruction' "$values:^twelve+2"
wrong 'argument' "u:./demo:order__failed \"%d\", ^arg3"
wrong 'USDT probe is' "u:^$values"
wrong 'tracepoint is' 't:^sched'
wrong 'name is missing' "$values:^"
wrong 'which file\? p:FILE:FUNCTION$' 'p:^do_exit'
wrong 'a probe is missing: c:open, u:FILE:PROBE, t:CATEGORY:EVENT$' '^ '

# A command names the process; without one nobody does.
run "$BIN/trace" u::probe
expect_status 2
expect_line '^trace: .*give -p' "$tool_err"

# Of a text of any length.
long=$(printf '%60000s' '' | tr ' ' x)
run "$BIN/trace" "c:open (\"$long\" == arg1 && ?) \"$long\""
expect_status 2
expect_equal "$(wc -l <"$tool_err")" 3
[ "$(wc -c <"$tool_err")" -lt 500 ] || fail 'the whole text is shown'
column=$(tail -n 1 "$tool_err" | wc -c)
expect_equal "$(sed -n 2p "$tool_err" | cut -c "$((column - 1))-$((column))")" '?)'
run "$BIN/trace" "c:$long"
expect_status 1
[ "$(wc -c <"$tool_err")" -lt 1500 ] || fail 'the whole name is shown'

# One that is right does not help one that is wrong.
run "$BIN/trace" "$values:sum" "$values:sum (" --exec -- "$values"
expect_status 2
expect_equal "$(cat "$tool_out")" ''
