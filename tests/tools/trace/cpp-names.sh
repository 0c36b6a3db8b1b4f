#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# C++ functions by their source names: with and without parameters, operators, templates,
# constructors.
names=$TARGETS/names_cpp
fired() { # WANTED PROBE…
	local wanted=$1 probes=()
	shift
	for probe in "$@"; do
		probes+=("$probe \"%d\", arg2")
	done
	run "$BIN/trace" "${probes[@]}" --exec -- "$names"
	expect_status 0
	expect_equal "$* $(awk '$3 == "names_cpp" { $1 = $2 = $3 = ""; print }' "$tool_out" | xargs -d '\n')" "$* $wanted"
}
fired '   shapes::area 2' "$names:shapes::area(int, unsigned long)"
fired '   shapes::area 2' "p:$names:shapes::area(int,unsigned long)"
fired '   shapes::Circle::operator() 1' "$names:shapes::Circle::operator()(int)"
fired '   shapes::Circle::operator() 1' "$names:shapes::Circle::operator()"
fired '   shapes::Circle::operator[] 1' "$names:shapes::Circle::operator[](int) const"
fired '   shapes::Box<int>::open 1' "$names:shapes::Box<int>::open(int)"
fired '   shapes::Box<double>::open 1' "$names:shapes::Box<double>::open"
run "$BIN/trace" "$names:shapes::Circle::grow() const" "$names:shapes::print(char const*, void (*)(int)) \"%s %U\", arg1, arg2" \
	"$names:shapes::(anonymous namespace)::hidden" "r:$names:shapes::area(int) \"%d\", retval" "$names:plain_cpp(int)" --exec -- "$names"
expect_status 0
expect_equal "$(awk '$3 == "names_cpp" { print $4 }' "$tool_out" | sort -u | xargs -d '\n')" \
	'plain_cpp shapes::(anonymous shapes::Circle::grow shapes::area shapes::print'
expect_line ' shapes::print +x plain_cpp\(int\)\+0x0 \[names_cpp\]$' "$tool_out"
expect_line ' shapes::area +1$' "$tool_out"

# A pattern attaches to all matches, and each event names its function.
run "$BIN/trace" "$names:shapes::*area*" --exec -- "$names"
expect_count 2 ' shapes::area' "$tool_out"
run "$BIN/trace" "$names:shapes::Box<*>::*" "$names:_Z*plain_cpp*" --exec -- "$names"
expect_line 'shapes::Box<int>::open' "$tool_out"
expect_line 'shapes::Box<double>::open' "$tool_out"
expect_line ' plain_cpp' "$tool_out"

# C++ names can be combined with conditions, signatures and messages.
run "$BIN/trace" "$names:shapes::area(int, unsigned long) (arg2 == 2) \"%d, %d\", arg1, arg2" --exec -- "$names"
expect_line ' shapes::area +1, 2$' "$tool_out"
run "$BIN/trace" "$names:plain_cpp(int number) (number == 1) \"%d\", number" --exec -- "$names"
expect_count 2 ' plain_cpp +1$' "$tool_out"
