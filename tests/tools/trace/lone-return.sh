#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
need_command gcc

# If a function consists only of a return instruction, one site is both its entry and its exit. The
# tools then handle the entry before the exit.
cat >"$T/lone.c" <<'C'
#include <stdio.h>
#include <unistd.h>
__attribute__((noipa)) void lone(int number) {}
int main(void)
{
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF) {
		for (int i = 0; i < 5; i++) {
			usleep(20000); /* between the calls */
			lone(i);
		}
		puts("done");
		fflush(stdout);
	}
}
C
gcc -O2 -fcf-protection=none -o "$T/lone" "$T/lone.c" 2>"$T/gcc" || gcc -O2 -o "$T/lone" "$T/lone.c"
mkfifo "$T/go"
exec 8<>"$T/go"
stdin=$T/go start_target_and_wait "$T/lone"
make_calls() { # lets the program make five calls, and waits for them
	local rounds
	rounds=$(grep -c 'done' "$target_out" || true)
	echo >&8
	wait_for "[ \$(grep -c 'done' '$target_out') -gt $rounds ]" 30
}
for path in multi tracefs perf; do
	run_tool trace --json --force-path "$path" -p "$target_pid" "r:$T/lone:lone \"%d %d\", \$entry(arg1), \$latency"
	make_calls
	stop_tool INT
	expect_status 0
	expect_equal "$(sed -n 's/.*"args":\[\([0-9]*\),.*/\1/p' "$tool_out" | xargs)" '0 1 2 3 4'
	expect_no_line '"type":"calls"' "$tool_out"
done
run_tool funclatency --json -p "$target_pid" "$T/lone:lone"
make_calls
stop_tool INT
expect_status 0
expect_line '"count":5,' "$tool_out"
