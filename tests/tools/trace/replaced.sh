#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
need_command gcc

# An upgrade replaces a running program's file: its path does not trace processes with the former
# file, and the tool says so; -p and /proc/PID/exe do. At the end, the tool names replacements that
# happened while it ran.
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

call_former() { # the process with the former file calls fest() once
	local answers
	answers=$(grep -c 'done' "$former_out") || true
	printf x >&8
	wait_for "[ \$(grep -c done '$former_out') -gt $answers ]" 20
}
# A process that only reads the former file does not count.
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
call_former
upgrade 3
stop_tool INT
expect_status 0
expect_line "^trace: $T/octi was replaced on disk; processes that still run the old file are not traced \(use -p to trace them\): $former\$" "$tool_err"
expect_line "^trace: $T/octi was replaced during tracing; processes that run the new file were not traced\$" "$tool_err"
expect_no_line " fest " "$tool_out"

expect_former() { # ARG…
	run_tool trace "$@"
	call_former
	stop_tool INT
	expect_status 0
	expect_line "^$former .* fest +1\$" "$tool_out"
	expect_no_line 'replaced' "$tool_err"
}
expect_former -p "$former" "$T/octi:fest \"%d\", arg1"
expect_former -p "$former" "/proc/$former/exe:fest \"%d\", arg1"
expect_former "/proc/$former/exe:fest \"%d\", arg1"

# With the name of the process: running processes have probes, a server that is restarted with the
# new file has none.
cp "$T/octi" "$T/named"
stdin=$T/never start_target_and_wait "$T/named"
run_tool trace --comm named "$T/named:fest"
cp "$T/octi" "$T/new"
mv "$T/new" "$T/named"
stop_tool INT
expect_no_line 'still run' "$tool_err"
expect_line "^trace: $T/named was replaced during tracing; processes that run the new file were not traced\$" "$tool_err"
