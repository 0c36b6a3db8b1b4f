#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# The values in Go's interfaces, with the types that the program describes: values, errors, nil.
source "$(dirname "$0")/../go.bash"
build_go "$T/fixed" interfaces.go
build_go "$T/anywhere" interfaces.go -buildmode=pie

held='<nil>
7
-1
65535
true
0.5
1.25
some text
main.Word("a word")
main.Level(3)
&main.Missing{Code:404, Text:"no page"}
main.Missing{Code:1, Text:"by value"}
&main.Named{Name:"first", ...}
main.pair{left:-2, right:"two"}
[]int
map[string]int
func() int
struct {}{}
120
9223372036854775808'
errors='a plain error
wrapped: file does not exist
open /nowhere/at all: no such file or directory
strconv.Atoi: parsing "seven": invalid syntax
dial tcp: connect: connection refused
context deadline exceeded
resource temporarily unavailable
&main.Missing{Code:500, Text:"inside"}
main.Level(9)
<nil>
<nil>'

# At any load address, and in functions with one return instruction or many.
for program in "$T/fixed" "$T/anywhere"; do
	run "$BIN/trace" "$program:main.show \"%s\", value" "r:$program:main.failure \"%s\", retval1" \
		"$program:main.list \"%s %s\", values.array[0], values.array[1]" --exec -- "$program"
	expect_status 0
	messages() { awk -v name="main.$1" '$4 == name' "$tool_out" | sed "s/^.* main\.$1 *//"; }
	expect_equal "$(messages show)" "$held"
	expect_equal "$(messages failure)" "$errors"
	expect_equal "$(messages list)" 'first 2'
done

# Without a format, texts are in quotes, and nil is none.
run "$BIN/trace" -q "r:$program:main.failure (retval1 == nil)" --exec -- "$program"
expect_line '=<nil>$' "$tool_out"
expect_no_line '"<nil>' "$tool_out"
run "$BIN/trace" -q --json "r:$program:main.failure (retval1 == nil) \"%s\", retval1" --exec -- "$program"
expect_line '"message":"<nil>","args":\[null\]' "$tool_out"

# Conditions can test for nil; errors say what is impossible with an interface.
run "$BIN/trace" "r:$program:main.failure (retval1 == nil) \"%d\", retval" \
	"r:$program:main.failure (retval1 != nil && retval == 6) \"%s\", retval1" --exec -- "$program"
expect_status 0
expect_equal "$(awk '$4 == "main.failure"' "$tool_out" | sed 's/^.* main.failure *//')" \
	'resource temporarily unavailable
9
10'
for wrong in '(value == "7")' '"%.*s", tail, value'; do
	run "$BIN/trace" "$program:main.show $wrong"
	expect_status 2
	expect_line '^trace: this is an interface: show it with %s, or compare it with nil$' "$tool_err"
done
run "$BIN/trace" "r:$program:main.show \"%s\", \$entry(value)"
expect_status 2
expect_line '^trace: \$entry\(\) cannot save an interface' "$tool_err"
run "$BIN/trace" "r:$program:main.point \"%s\", retval"
expect_status 2
expect_line '^trace: this is a whole .*pair: name one of its members \(left, right\)$' "$tool_err"
