#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Rust functions by their names, with both manglings.
need_command rustc
for mangling in legacy v0; do
	program=$T/shapes-$mangling
	flags=()
	[ "$mangling" = legacy ] || flags=(-C symbol-mangling-version=v0)
	rustc -O "${flags[@]}" -o "$program" "$ROOT/tests/targets/scripts/shapes.rs"
	run "$BIN/trace" "$program:shapes::geometry::label \"%s %d\", str(arg1, arg2), arg2" "$program:*Circle*::grow \"by %d\", arg2" \
		"$program:<shapes::geometry::Circle as shapes::geometry::Area>::area \"scale %d\", arg2" \
		"r:$program:shapes::geometry::t[w]ice* \"%d\", retval" --exec -- "$program" octi
	expect_status 0
	expect_line ' shapes::geometry::label +octi 4$' "$tool_out"
	expect_line ' <?shapes::geometry::Circle>?::grow +by 4$' "$tool_out"
	expect_line ' <shapes::geometry::Circle as shapes::geometry::Area>::area scale 40$' "$tool_out"
	expect_count 2 ' shapes::geometry::twice(::<u(32|64)>)? +8$' "$tool_out"
	# By the source name, with either mangling.
	run "$BIN/trace" "$program:shapes::geometry::Circle::grow" --exec -- "$program" octi
	expect_status 0
	expect_count 1 '::grow' "$tool_out"
done
