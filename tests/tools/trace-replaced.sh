#!/bin/bash
# ring: first
source "$(dirname "$0")/../lib.sh"
need_command gcc

# A program that an upgrade has replaced while it runs: what goes on with the former file is not seen by its path, and that is
# said; by -p, and by /proc/PID/exe, it is. What starts with a new file while the tool runs is told at the end.
cat >"$T/octi.c" <<'C'
#include <stdio.h>
__attribute__((noipa)) void fest(int number) { __asm__ volatile("" ::"r"(number)); }
int main(void)
{
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF) {
		fest(ANSWER);
		puts("done");
		fflush(stdout);
	}
}
C
upgrade() { # ANSWER
	gcc -O1 -DANSWER="$1" -o "$T/new" "$T/octi.c"
	mv "$T/new" "$T/octi"
}
mkfifo "$T/go"
exec 8<>"$T/go"
upgrade 1
stdin=$T/go start_target_and_wait "$T/octi"
former=$target_pid former_out=$target_out
upgrade 2

go() { # the former one calls fest() once
	local answers
	answers=$(grep -c 'done' "$former_out") || true
	printf x >&8
	wait_for "[ \$(grep -c done '$former_out') -gt $answers ]" 20
}
run_tool trace "$T/octi:fest \"%d\", arg1"
go
upgrade 3
stop_tool INT
expect_status 0
expect_line "^trace: $T/octi was replaced: what still runs the former file is not seen \(-p sees it\): $former\$" "$tool_err"
expect_line "^trace: $T/octi was replaced while it was traced: processes with the new file were not seen\$" "$tool_err"
expect_no_line " fest " "$tool_out"

sees_former() { # ARG…
	run_tool trace "$@"
	go
	stop_tool INT
	expect_status 0
	expect_line "^$former .* fest +1\$" "$tool_out"
	expect_no_line 'replaced' "$tool_err"
}
sees_former -p "$former" "$T/octi:fest \"%d\", arg1"
sees_former -p "$former" "/proc/$former/exe:fest \"%d\", arg1"
sees_former "/proc/$former/exe:fest \"%d\", arg1"
