#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
need_command gcc

# The frame of main() is larger than the copy of a stack that the kernel side makes while it lacks a
# rule. So the first stacks are cut, and the output gives the reason; later ones are complete.
cat >"$T/large.c" <<'END'
#include <stdio.h>
#include <unistd.h>
__attribute__((noipa)) int work(volatile char *bytes) { return bytes[0]; }
int main(void)
{
	volatile char bytes[100000];
	char line[16];
	bytes[0] = 1;
	puts("ready"), fflush(stdout);
	while (fgets(line, sizeof line, stdin))
		work(bytes), puts("done"), fflush(stdout);
}
END
gcc -O1 -o "$T/large" "$T/large.c"
mkfifo "$T/lines"
exec 8<>"$T/lines"
stdin=$T/lines start_target_and_wait "$T/large"
run_tool stackcount -p "$target_pid" "$T/large:work"
for ((i = 1; i <= 20; i++)); do
	echo >&8
	wait_for "[ \$(grep -c done '$target_out') -eq $i ]" 20
	sleep 0.02 # then the kernel side has a rule for the next stack
done
stop_tool INT
expect_status 0
expect_equal "$(sed 's/^ *//' "$tool_out" | grep -A 2 '^main$' | grep -E 'cut|_start' | sort -u)" '[cut: copied too short]
_start'
expect_equal "$(awk 'NF == 1 && $1 ~ /^[0-9]+$/ { sum += $1 } END { print sum }' "$tool_out")" 20
