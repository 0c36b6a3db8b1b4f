#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
need_command gcc

# The stack of a return starts with the caller, with each return method, also if another function
# returned instead (tail call); the stack of an entry starts with the function.
cat >"$T/calls.c" <<'C'
#include <stdio.h>
__attribute__((noipa)) long leaf(long n) { return n * 3; }
__attribute__((noipa)) long tail(long n) { return leaf(n + 1); }
__attribute__((noipa)) long middle(long n) { return tail(n) + leaf(n); }
int main(void)
{
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF) {
		middle(40);
		puts("done");
		fflush(stdout);
	}
}
C
gcc -O2 -o "$T/calls" "$T/calls.c"
mkfifo "$T/go"
exec 8<>"$T/go"
stdin=$T/go start_target_and_wait "$T/calls"
call() { # makes a call and waits for it
	local calls
	calls=$(grep -c 'done' "$target_out" || true)
	echo >&8
	wait_for "[ \$(grep -c 'done' '$target_out') -gt $calls ]" 30
}
frames() { # TOOL ARG…; prints the first two frames of each stack
	run_tool "$@" -U -p "$target_pid"
	call
	stop_tool INT
	expect_status 0
	awk '/^ +[a-z_]+(\+0x[0-9a-f]+ \[.*\])?$/ { if (n++ < 2) { sub(/\+.*/, ""); printf "%s ", $1 } next } n { print ""; n = 0 }
		END { if (n) print "" }' "$tool_out" | sed 's/ $//'
}
for how in exit probe; do
	both=$(frames trace --force-return "$how" "r:$T/calls:middle")
	expect_equal "${both%% *}" main
	expect_equal "$(frames trace --force-return "$how" "r:$T/calls:tail")" 'middle main'
	expect_equal "$(frames argdist --force-return "$how" -C "r:$T/calls:tail():long:\$retval")" 'middle main'
done
expect_equal "$(frames trace "$T/calls:tail")" 'tail middle'
