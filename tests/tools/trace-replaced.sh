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
# Who only reads the former file is none of those.
cat >"$T/reads.py" <<'END'
import mmap, sys
with open(sys.argv[1]) as file:
    mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
print("mapped", flush=True)
sys.stdin.read()
END
upgrade 2
mkfifo "$T/never"
exec 9<>"$T/never"
stdin=$T/never start_target_and_wait python3 "$T/reads.py" "$T/octi"
upgrade 2

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

# By the name of the process, too: what runs has its probes, a server that is started anew with the new file has none.
cp "$T/octi" "$T/named"
stdin=$T/never start_target_and_wait "$T/named"
run_tool trace --comm named "$T/named:fest"
cp "$T/octi" "$T/new"
mv "$T/new" "$T/named"
stop_tool INT
expect_no_line 'still runs' "$tool_err"
expect_line "^trace: $T/named was replaced while it was traced: processes with the new file were not seen\$" "$tool_err"
