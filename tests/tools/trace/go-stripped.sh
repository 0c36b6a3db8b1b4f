#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Functions of a stripped Go program, from the function table of Go's runtime.
need_command objcopy
source "$(dirname "$0")/../go.bash"
program=$T/server
build_go "$program" server.go -ldflags '-s -w'

finds_functions() { # PROGRAM
	run "$BIN/trace" "p:$1:main.(*Server).Do" "$1:main.Server.C*" "$1:main.main.func1" \
		"r:$1:main.double \"%d\", retval" --exec -- "$1"
	expect_status 0
	expect_equal "$(awk '$3 ~ /^server/ { print $4, $5 }' "$tool_out" | sort | uniq -c | xargs)" \
		'3 main.(*Server).Do 1 main.Server.Count 1 main.double 2 1 main.double 4 1 main.double 6 3 main.main.func1'
	expect_line '^6$' "$tool_err"
}
finds_functions "$program"

run "$BIN/trace" "$program:main.(*Server).Dont" --exec -- "$program"
expect_status 1
expect_line "no function 'main.*Dont'.*did you mean.*main\\.\\(\\*Server\\)\\.Do" "$tool_err"

# Assembly functions with a wrapper for calls from Go: the name selects the wrapper, and is not
# ambiguous.
run "$BIN/trace" --dry-run "$program:runtime.cmpstring"
expect_status 0

zero() { dd conv=notrunc bs=1 count="$3" seek="$2" of="$1" if=/dev/zero status=none; } # FILE OFFSET BYTES

# As Go 1.26 and newer write it: the table's header lacks the start of the text. (Older runtimes
# refuse that.)
cp "$program" "$program-1.26"
table=$(readelf -SW "$program" | sed -n 's/.* \.gopclntab *PROGBITS *[0-9a-f]* *\([0-9a-f]*\).*/\1/p')
zero "$program-1.26" $((16#$table + 24)) 8
addresses() { "$BIN/trace" --dry-run "p:$1:main.*" | sed -n 's,^  [^ ]*/server[^ ]* \(main.* at 0x.*\),\1,p'; }
addresses "$program-1.26" | grep -q '^main\.double at' || fail 'main.double is missing'
expect_equal "$(addresses "$program-1.26")" "$(addresses "$program")"

# Without section headers.
cp "$program" "$program-headless"
zero "$program-headless" $((0x28)) 8
zero "$program-headless" $((0x3c)) 4
finds_functions "$program-headless"

# Stacks have names.
run "$BIN/trace" -U -M 1 "p:$program:main.double" --exec -- "$program"
expect_status 0
expect_line '^ *main\.main\.func1\+0x' "$tool_out"

# Assembly functions have the same names with and without symbols.
build_go "$T/whole" server.go
for file in "$program" "$T/whole"; do
	run "$BIN/trace" --dry-run "$file:runtime.gogo"
	expect_status 0
	expect_line ' runtime\.gogo' "$tool_out"
done

# Names of parameters are unknown, and a pointer to a string has no length: both errors say what to
# write instead.
cat >"$T/greet.go" <<'GO'
package main

import "fmt"

//go:noinline
func greet(name string) int { return len(name) }
func main()                 { fmt.Println(greet("octi world")) }
GO
(cd "$T" && go build -ldflags '-s -w' -o "$T/greet" greet.go)
run "$BIN/trace" "p:$T/greet:main.greet \"%s\", name" --exec -- "$T/greet"
expect_status 2
expect_line "name: $T/greet is stripped, .*str\(arg1, arg2\)" "$tool_err"
run "$BIN/trace" "p:$T/greet:main.greet \"%s\", arg1" --exec -- "$T/greet"
expect_line 'trace: arg1 may be a Go string, .* use str\(arg1, arg2\)$' "$tool_err"
run "$BIN/trace" "p:$T/greet:main.greet \"%s\", str(arg1, arg2)" --exec -- "$T/greet"
expect_line 'main\.greet +octi world$' "$tool_out"
expect_no_line 'may be a Go string' "$tool_err"

# A function by the address at which it starts is shown with its name; its returns are those of Go.
double=$("$BIN/tplist" -l "$program" -f main.double -v | awk '{ print $2 }')
run "$BIN/trace" "r:$program:+$double \"%d\", retval" "$program:$double" --exec -- "$program"
expect_status 0
expect_count 3 ' main\.double +[246]$' "$tool_out"
expect_count 3 " $double\$" "$tool_out"
expect_refusal 1 "no function of $program .*; the next one below starts at \\+$double \\(main\\.double\\)\$" \
	trace "$program:+$(printf '%#x' $((double + 1)))"
expect_refusal 1 "'\\+\\*' matches no function of $program: all functions of it" funccount "$program:+*"
