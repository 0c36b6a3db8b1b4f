#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Without debug information, parameters have no names: the error says so, and what to type instead.
need_command cc
cat >"$T/program.c" <<'END'
__attribute__((noinline)) int add(int a, int b) { return a + b; }
int main(int argc, char **argv) { return add(argc, 2) == 0; }
END
refused() { # WHY PROGRAM
	run "$BIN/trace" "$2:add \"%d\", a" --exec -- "$2"
	expect_status 2
	expect_line "^trace: a: $1, so that names of parameters are not known: use arg1 \.\.\., or a signature: add\(int a, char \*b\)$" "$tool_err"
	# The suggested probe works.
	run "$BIN/trace" "$2:add(int a, int b) \"%d %d\", a, b" --exec -- "$2"
	expect_status 0
	expect_line ' add +1 2$' "$tool_out"
}
cc -o "$T/plain" "$T/program.c"
# It names the build-id, and where the debug file would have been.
id=$(readelf -n "$T/plain" | sed -n 's/.*Build ID: //p')
debug=/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug
refused "$T/plain has no debug information \\(build-id $id; $debug does not exist; --debuginfod URL asks a server\\)" "$T/plain"
# Also for a return.
run "$BIN/trace" "r:$T/plain:add \"%d\", \$entry(a)"
expect_line 'has no debug information' "$tool_err"

# Split debug information: the program names a file that does not exist.
for version in 4 5; do
	(cd "$T" && cc -g -gdwarf-$version -gsplit-dwarf -o "split$version" program.c)
	run "$BIN/trace" "$T/split$version:add \"%d\", a" --exec -- "$T/split$version"
	expect_line ' add +1$' "$tool_out"
	rm -f "$T"/*.dwo
	refused "its debug information is in [^ ]*\.dwo, which is missing" "$T/split$version"
done
# Names in a signature, or of non-parameters, are reported as unknown as before.
run "$BIN/trace" "$T/plain:add(int a) \"%d\", b"
expect_line 'nothing is named b here' "$tool_err"
run "$BIN/trace" "$T/plain:add \"%d\", \$b"
expect_line 'nothing is named \$b here' "$tool_err"
