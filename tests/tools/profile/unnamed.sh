#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Functions of a stripped program are frames with different names, and can be named later, where
# the symbols are: by addr2line from the JSON and a debug file, and by go tool pprof.
need_command objcopy addr2line jq

cat >"$T/srv.c" <<'END'
#include <stdio.h>
volatile unsigned long sink;
__attribute__((noinline)) static void parse(void)
{
	for (int i = 0; i < 3000000; i++)
		sink += i;
}
__attribute__((noinline)) static void answer(void)
{
	for (int i = 0; i < 1000000; i++)
		sink ^= i;
}
__attribute__((noinline)) static void serve(void)
{
	for (;;) {
		parse();
		answer();
	}
}
int main(void)
{
	puts("ready"), fflush(stdout);
	serve();
}
END
gcc -g -O1 -Wl,--build-id -o "$T/srv" "$T/srv.c"
objcopy --only-keep-debug "$T/srv" "$T/srv.debug"
objcopy --strip-all "$T/srv" "$T/srv.stripped"
build_id=$(readelf -n "$T/srv.debug" | sed -n 's/.*Build ID: //p')

start_target_and_wait "$T/srv.stripped"
run_tool profile -U -F 999 --json -p "$target_pid" 1
stop_tool
expect_status 0
jq -r 'select(.unnamed) | .unnamed[] | select(.path | endswith("/srv.stripped")) |
	"\(.frame) \(.build_id) \(.address) \(.offset)"' "$tool_out" | sort -u >"$T/frames"
[ -s "$T/frames" ] || fail 'there are no unnamed frames'
read -r in_file at < <(readelf -lW "$T/srv.stripped" | awk '$1 == "LOAD" && / R E / { print $2, $3 }')
named=$(while read -r frame id address offset; do
	expect_equal "$id" "$build_id"
	expect_equal "$frame" "$(printf 'srv.stripped:+0x%x' "$address")"
	# The code at the offset in the file is that at the address in the debug file.
	expect_equal "$((address - offset))" "$((at - in_file))"
	addr2line -f -e "$T/srv.debug" "$(printf '%#x' "$address")" | head -n 1
done <"$T/frames" | sort -u)
expect_equal "$named" $'answer\nmain\nparse\nserve'

# Each function is one frame, whichever of its instructions runs; with -s, each instruction.
frames() { grep -oE 'srv.stripped:\+0x[0-9a-f+x]+' "$tool_out" | sort -u | wc -l; }
run_tool profile -U -F 999 -f -p "$target_pid" 1
stop_tool
expect_equal "$(frames)" 4
expect_line '^srv.stripped;_start;srv.stripped:\+0x[^;]*;srv.stripped:\+0x[^;]*;srv.stripped:\+0x[^;]* [0-9]+$' "$tool_out"
run_tool profile -U -F 999 -s -p "$target_pid" 1
stop_tool
[ "$(frames)" -gt 4 ] || fail 'with -s, different instructions have the same name'

command -v go >/dev/null || {
	echo 'go tool pprof is not installed: its part is skipped'
	exit 0
}
run_tool profile -U -F 999 -p "$target_pid" --pprof "$T/cpu.pb.gz" 1
stop_tool
stop_target KILL
pprof() { # [PROGRAM]
	PPROF_TMPDIR=$T go tool pprof -raw "$@" "$T/cpu.pb.gz" 2>"$T/pprof.err" | sed -n '/^Locations/,$p'
}
pprof >"$T/unnamed"
expect_line 'srv.stripped:\+0x' "$T/unnamed"
expect_line "/srv.stripped $build_id" "$T/unnamed"
expect_no_line ' parse ' "$T/unnamed"
# Elsewhere: the stripped program is not there, but one with symbols and the same build id is.
rm "$T/srv.stripped"
pprof "$T/srv" >"$T/named"
for function in parse answer serve main; do
	expect_line " $function " "$T/named"
done
