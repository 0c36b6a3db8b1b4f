#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# A return value has its type if there is debug information.
values=$TARGETS/values
run "$BIN/trace" "r:$values:put (retval < 0) \"%d\", retval" "r:$values:sum (retval < -2) \"%d\", retval" \
	"r:$values:next_node \"%s %d\", retval->name, retval->value" "r:$values:name_of (retval == \"two\") \"%s\", retval" \
	"r:$values:make_pair \"%d %d\", reg(\"rax\"), reg(\"rdx\")" --exec -- "$values"
expect_status 0
expect_equal "$(sed -n 's/^.* values *//p' "$tool_out" | sed 's/  */ /g')" 'sum -2147483644
name_of two
make_pair 7 -7
next_node second -2
put -1'

# With several functions, only if all return the same type. show returns a size_t, sum and visit an
# int.
expect_negative() { # PATTERN WANTED; WANTED: the number of negative returns
	run "$BIN/trace" "r:$values:$1 (retval < 0) \"\"" --exec -- "$values"
	expect_status 0
	expect_count "$2" ' values ' "$tool_out"
}
expect_negative 's[uh][mo]*' 0
expect_negative '[sv][ui][ms]*' 2
# Without a format, each function has its own type.
run "$BIN/trace" "r:$values:s[uh][mo]* (retval < 0)" --exec -- "$values"
expect_count 2 ' sum +retval=-' "$tool_out"

# Without debug information, it is the whole register.
strip --strip-debug -o "$T/bare" "$values"
run "$BIN/trace" "r:$T/bare:put (retval < 0)" "r:$T/bare:put ((long)retval < 0) \"%d\", retval" "r:$T/bare:nothing \"x%d\", retval - retval" \
	"$T/bare:sum \"x%d\", arg4 - arg4" --exec -- "$T/bare"
expect_status 0
expect_equal "$(sed -n 's/^.* bare *//p' "$tool_out" | sed 's/  */ /g')" 'sum x0
sum x0
nothing x0
put -1'
