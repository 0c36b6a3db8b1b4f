#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Arguments and results of Go functions by their names and types, wherever Go passes them.
need_command strip
source "$(dirname "$0")/../go.bash"
program=$T/values
build_go "$program" values.go -gcflags=-l

shows() { # LINES PROBE…
	local lines=$1
	shift
	run "$BIN/trace" --json "$@" --exec -- "$program"
	expect_status 0
	expect_line '^closure 1$' "$tool_err"
	expect_equal "$(sed -n 's/.*"func":"\([^"]*\)","message":\("[^"]*"\).*/\1 \2/p' "$tool_out")" "$lines"
}
main=$program:main

# Strings and byte slices end by their length; a string contains a NUL.
shows 'main.greet "Ann\\x00B|3|1|1"
main.raw "one\\ntwo|z"' \
	"$main.greet \"%s|%d|%d|%d\", name, times, loud, \$goid" "$main.raw \"%s|%c\", bytes, tail"
shows 'main.greet "Ann"' "$main.greet (name == \"Ann\\x00B\" && times == 3) \"%s\", str(arg1, arg2 - 2)"
shows '' "$main.greet (name == \"Ann\") \"no\""

# A signature gives names and types; the locations remain Go's.
shows 'main.greet "3"' "$main.greet(long text, long bytes, int count) (count == 3 && bytes == 5) \"%d\", count"

# Structures are split into members; arrays and the last arguments are on the stack.
shows 'main.mixed "-1 65535 7 8 origin -9"
main.mixed "1 65535 7 8 origin -9"' "$main.mixed \"%d %d %d %d %s %d\", a, b, p.X, p.Y, p.Name, last"
shows 'main.array "4 6 behind"' "$main.array \"%d %d %s\", numbers[0], numbers[2], after"
shows 'main.single "5 one"' "$main.single \"%d %s\", one[0], after"
shows 'main.many "a d e hhh"' "$main.many \"%s %s %s %s\", a, d, e, h"

# Floats in memory work; elsewhere they are in vector registers, and the error says so.
shows 'main.measure "0.125000 2.5 -1.5"' "$main.measure \"%f %g %g\", s->Value, s->Half, two[1]"
for float in "$main.mixed \"%f\", f" "r:$main.measure \"%f\", retval"; do
	run "$BIN/trace" "$float"
	expect_status 2
	expect_line '^trace: (f|retval): it is in a floating-point register, which probes cannot read$' "$tool_err"
done

# Receivers, members through pointers, closures, functions for several types.
shows 'main.(*Server).Handle "web 0 2 here /index"' \
	"$main.(*Server).Handle \"%s %d %d %s %s\", s.name, s->hits, p.Y, p->Name, path"
shows 'main.Server.Show "is  web 1"' "$main.Server.Show \"%s %s %d\", prefix, s.name, s.hits"
shows 'main.main.func1 "closure"' "$main.main.func1 \"%s\", text"
run "$BIN/trace" --dry-run "$main.first*"
shows 'main.first[go.shape.int_0] "ints 1 ints"' \
	"$program:$(sed -n 's/.* \(main\.first\[go\.shape\.int_*0*\]\) at .*/\1/p' "$tool_out") \"%s %d %s\", what, list.len, str(arg5, arg6)"

# Results, also by name, and values from the entry.
shows 'main.mixed "0"
main.mixed "65542"' "r:$main.mixed \"%d\", retval"
shows 'main.named "4 half of 9 9"' "r:$main.named \"%d %s %d\", half, text, \$entry(n)"
shows 'main.greet "hello Ann\\x00B 11 Ann\\x00B"' \
	"r:$main.greet \"%s %d %s\", retval, retval.len, \$entry(name)"

# By number if they have no names.
shows 'main.mixed "0 negative"
main.mixed "65542 <nil>"' "r:$main.mixed \"%d %s\", retval0, retval1"
shows 'main.twelve "1 12"' "r:$main.twelve \"%d %d\", retval0, retval11"
run "$BIN/trace" "r:$main.mixed \"%d\", retval2"
expect_status 2
expect_line '^trace: retval2: main\.mixed returns 2 values, retval0 to retval1$' "$tool_err"

# Functions in assembly have their arguments where their author put them.
run "$BIN/trace" "$program:runtime.memmove \"%d\", arg1"
expect_status 2
expect_line '^trace: arg1: runtime\.memmove is written in assembly' "$tool_err"

run "$BIN/trace" "$main.greet \"%d\", arg10" --exec -- "$program"
expect_status 2
expect_line 'Go passes at most 9 words in registers' "$tool_err"

# Without names, a string is two words.
strip "$program"
shows 'main.greet "Ann\\x00B 3"' "$main.greet \"%s %d\", str(arg1, arg2), arg3"

run "$BIN/argdist" -H "p:$main.raw(int a)" --exec -- "$program" || true
