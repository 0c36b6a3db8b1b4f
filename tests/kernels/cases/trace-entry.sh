# shellcheck shell=sh
. /kernels/lib.sh

# Arguments by a signature, conditions, strings of the program.
program=/targets/values
run trace --exec "p:$program:sum(int a, int b) (a > 0) \"%d %d\", a, b" \
	"p:$program:show(char *text, size_t n) (text == \"octifest\") \"%s %d\", text, n" \
	"p:$program:twelve \"%d %s\", (short)arg9, arg12" -- "$program"
expect_status 0
expect_line ' sum +7 -9$' "$tool_out"
expect_line ' show +octifest 8$' "$tool_out"
expect_line ' twelve +-9 twelve$' "$tool_out"
expect_count 3 ' values ' "$tool_out"
