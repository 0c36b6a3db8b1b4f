#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Rust functions by their names, with both manglings.
need_command rustc
for mangling in legacy v0; do
	program=$T/shapes-$mangling
	# Newer compilers take "legacy" only with -Z unstable-options; older ones need it for v0.
	RUSTC_BOOTSTRAP=1 rustc -O -Z unstable-options -C symbol-mangling-version=$mangling -o "$program" "$ROOT/tests/targets/scripts/shapes.rs"
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
	run "$BIN/trace" "$program:<shapes::geometry::Circle>::grow" --exec -- "$program" octi
	expect_status 0
	expect_count 1 '::grow' "$tool_out"
	# A generic function without its arguments is all its instances.
	run "$BIN/trace" "$program:shapes::geometry::twice" --exec -- "$program" octi
	expect_status 0
	expect_count 2 '::twice' "$tool_out"
	run "$BIN/tplist" -l "$program" -f '*::twice'
	expect_status 0
	expect_count 2 '::twice' "$tool_out"
done
