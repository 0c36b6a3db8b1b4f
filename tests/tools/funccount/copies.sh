#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# A function name also selects the copies that the compiler made for callers that pass a constant
# (work.constprop.0). If the probe reads arguments, the copies are skipped, because their arguments
# may be elsewhere, and the tool says so.
cat >"$T/program.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) int work(int mode, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += mode == 3 ? rand() : mode == 4 ? i * i : rand() % (i + mode);
	return sum;
}
int (*volatile plain)(int, int) = work;
int main(void)
{
	puts("ready");
	fflush(stdout);
	getchar();
	int sum = 0;
	for (int i = 1; i <= 30; i++)
		sum += work(3, i);
	for (int i = 1; i <= 12; i++)
		sum += plain(5, i);
	return sum == 1;
}
C
gcc -O2 -fipa-cp-clone -o "$T/program" "$T/program.c"
nm "$T/program" | grep -q ' work\.constprop\.0$' || skip 'this compiler makes no constprop copy'
mkfifo "$T/input"
exec 8<>"$T/input"
traced() { # TOOL ARG…
	stdin=$T/input start_target_and_wait "$T/program"
	run_tool "$@" -p "$target_pid"
	echo >&8
	stop_tool
	expect_status 0
}
traced funccount "$T/program:work"
expect_equal "$(awk '/^work/ { sum += $2 } END { print sum }' "$tool_out")" 42
traced funclatency --json "$T/program:work"
expect_equal "$(grep -o '"count":[0-9]*' "$tool_out" | head -n 1)" '"count":42'
traced trace "r:$T/program:work \"%d\", retval"
expect_count 42 ' work' "$tool_out"
traced trace "$T/program:work \"%d\", arg2"
expect_count 12 ' work ' "$tool_out"
expect_line '^trace: 1 of 2 functions cannot be probed: 1 are copies of work with other parameters' "$tool_err"
traced trace "$T/program:work*.0 \"%d\", arg1"
expect_count 30 ' work\.constprop\.0' "$tool_out"
