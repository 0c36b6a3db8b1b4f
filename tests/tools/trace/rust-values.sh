#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Rust's texts and enumerations, in optimised code and in other code.
need_command rustc
shows() { # FUNCTION WANTED
	run "$BIN/trace" -q "$program:texts::$1" --exec -- "$program"
	expect_status 0
	expect_equal "$flags $1 $(sed -nE 's/.* texts::[a-z]+ +//p' "$tool_out")" "$flags $1 $2"
}
program=$T/texts
for flags in -O ''; do
	# shellcheck disable=SC2086 # no flag is no word
	rustc -g $flags -o "$program" "$ROOT/tests/targets/scripts/texts.rs"
	shows borrowed $'text="a slice of text", number=7\ntext="owned text", number=8'
	shows owned $'text="owned text", bytes="xy"\ntext="", bytes=""'
	shows slice $'bytes="xy", number=3\nbytes="owned text", number=4'
	shows maybe $'text="some text", boxed=NULL, number=5\ntext=NULL, boxed="boxed", number=6'
	shows kind $'kind=High, text="owned text"\nkind=Low, text="owned text"'
done
run "$BIN/trace" -q "$program:texts::borrowed (contains(text, \"slice\")) \"%s|%d\", text, number" --exec -- "$program"
expect_count 1 ' a slice of text[|]7$' "$tool_out"
