#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Without a format, trace shows the parameters or the result: with debug information by their names,
# without it by the function's name.
calls=$TARGETS/cpp_calls
long='a text that does not fit into the object itself'
shows() { # WANTED PROBE…
	local wanted=$1
	shift
	run "$BIN/trace" -q "$@" --exec -- "$program"
	expect_status 0
	expect_equal "$* $(sed -nE 's/^[0-9]+ +[0-9]+ +cpp_calls *[^ ]+ +//p' "$tool_out")" "$* $wanted"
}
program=$calls
shows $'text="", number=7\ntext="short", number=7\ntext="'"$long"'", number=7' "$calls:calls::take"
shows $'text="", number=-1\ntext="shor", number=-1\ntext="a te", number=-1' "$calls:calls::view"
shows "$(for text in '' short "$long"; do
	echo "text=\"$text\", bytes=\"abc\", real=<in a vector register>, truth=true"
done)" "$calls:calls::copy"
shows $'color=green, name="name", letter=\'x\', bits=0x10000000000\ncolor=9, name="name", letter=\'\\n\', bits=5' \
	"$calls:calls::choose"
shows $'text="", number=7\ntext="short", number=7\ntext="'"$long"'", number=7' "$calls:calls::take(std::string const&, int)"
shows $'retval=7\nretval=12\nretval=54' "r:$calls:calls::take"
shows '42' "$calls:calls::add \"%d\", pair.left + pair.right"
shows $'text=""\ntext="short"\ntext="'"$long"'"' "$calls:calls::take(const std::string &text)"
run "$BIN/trace" -q "$calls:calls::Counter::add" --exec -- "$calls"
expect_line ' this=0x[0-9a-f]+, text="short"$' "$tool_out"

run "$BIN/trace" -q --json "$calls:calls::choose" --exec -- "$calls"
expect_equal "$(grep -o '"values":.*' "$tool_out" | head -1)" \
	'"values":{"color":4,"name":"name","letter":120,"bits":1099511627776}}'

# In conditions and formats.
shows 'green 4 name' "$calls:calls::choose (color == green) \"%s %d %s\", color, color, name"
shows 'green' "$calls:calls::choose (calls::Color::red != color && bits > 5) \"%s\", color"
shows "$long" "$calls:calls::take (contains(text, \"does not fit\")) \"%s\", text"
shows 'short' "$calls:calls::take (text == \"short\" && starts_with(text, \"sh\")) \"%s\", arg1"
shows '2 7 7' "$calls:calls::take (text == \"\") \"%d %d %d\", min(number, 2), max(number, 2), abs(-number)"

# Why a function failed.
run "$BIN/trace" -q 'r:c:open ((int)retval == -1 && $errno == ENOENT) "%s: %s, %d, %E", $entry(str(arg1)), $errno, $errno, $errno' \
	--exec -- "$calls"
expect_line ' open +/nonexistent/file: ENOENT, 2, ENOENT$' "$tool_out"

# Without debug information.
program=$T/cpp_calls
strip -g -o "$program" "$calls"
shows $'arg1?="", arg2?=7\narg1?="short", arg2?=7\narg1?="'"$long"'", arg2?=7' "$program:calls::take"
expect_line 'no debug information: arguments are named by the function.s name' "$tool_err"
shows $'arg1?="", arg3?=-1\narg1?="shor", arg3?=-1\narg1?="a te", arg3?=-1' "$program:calls::view"
shows $'short' "$program:calls::take (arg1 == \"short\") \"%s\", arg1"
shows $'\nshort\n'"$long" "$program:calls::take \"%s\", (std::string *)arg1"
shows $'"" 7\n"short" 7\n"'"$long"'" 7' "$program:calls::take(std::string &a, int b) \"\\\"%s\\\" %d\", a, b"
run "$BIN/trace" -q "$program:calls::Counter::add" --exec -- "$program"
expect_line ' this\?=0x[0-9a-f]+, arg2\?="short"$' "$tool_out"

# argdist reads them, too.
run_tool argdist -C "p:$program:calls::take():std::string:arg1" -C "p:$calls:calls::take():const std::string &:text"
"$program" >/dev/null
"$calls" >/dev/null
stop_tool INT
expect_count 2 ' (arg1|text) = "?short"?$' "$tool_out"

# Mistakes.
wrong() { # WANTED PROBE
	run "$BIN/trace" "$2"
	expect_status 2 1
	expect_line "$1" "$tool_err"
}
wrong 'arguments begin at arg1' 'c:open "%d", arg0'
wrong 'or a comma before the next value' 'c:open "%d %d", arg1 arg2'
wrong 'errno says why a function failed' 'c:open "%s", $errno'
