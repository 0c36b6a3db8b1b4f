#!/bin/bash
# alone: it links in the build folder
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# A program of one tool runs that tool, whatever its file name, and contains no other.
make -s -j"$(nproc)" BUILD="$BUILD" "$BUILD"/single/{trace,killsnoop,tplist}
single=$(realpath "$BUILD/single")
for tool in trace killsnoop tplist; do
	run "$single/$tool" --help
	expect_status 0
	expect_equal "$(cat "$tool_out")" "$("$BIN/$tool" --help)"
	[ "$(stat -c %s "$single/$tool")" -lt "$(stat -c %s "$BIN/uscope")" ] || fail "$tool is as large as all tools together"
done

cp "$single/trace" "$T/another-name"
run "$T/another-name" --version
expect_equal "$(cat "$tool_out")" "another-name $(cat VERSION)"
run "$T/another-name" "r:$TARGETS/values:factorial \"%d! = %d\", \$entry(n), retval" --exec -- "$TARGETS/values"
expect_status 0
expect_equal "$(grep -o '[0-9]*! = [0-9]*$' "$tool_out")" "$(printf '%s\n' '1! = 1' '2! = 2' '3! = 6' '4! = 24' '5! = 120')"
