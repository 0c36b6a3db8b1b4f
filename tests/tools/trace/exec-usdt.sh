#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# u::NAME with --exec: the probes of the program that is started, and of the libraries it links.
cat >"$T/program.cpp" <<'CPP'
#include <sys/sdt.h>
int main()
{
	for (int i = 0; i < 3; i++) {
		DTRACE_PROBE1(program, hit, i);
		try {
			throw i;
		} catch (int) {
		}
	}
}
CPP
g++ -O2 -o "$T/program" "$T/program.cpp"
run "$BIN/trace" --exec 'u::hit "%d", arg1' -- "$T/program"
expect_status 0
expect_equal "$(awk 'NR > 1 { print $5 }' "$tool_out" | tr '\n' ' ')" '0 1 2 '
run "$BIN/trace" --exec 'u::throw' 'u::hit' -- "$T/program"
expect_status 0
expect_count 3 ' throw( |$)' "$tool_out"
expect_count 3 ' hit( |$)' "$tool_out"
run "$BIN/trace" --exec 'u::nothing' -- "$T/program"
expect_status 1
expect_line "$T/program has no USDT probe nothing" "$tool_err"
