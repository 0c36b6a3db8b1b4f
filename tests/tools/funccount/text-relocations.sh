#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# A library with text relocations: the dynamic linker writes addresses into its code, so the code in
# memory differs from the file.
need_command gcc
[ "$(uname -m)" = x86_64 ] || skip 'the code is for x86-64'
cat >"$T/library.c" <<'C'
int value = 7;
__attribute__((naked, noipa)) int work(void) { __asm__("movabs value, %eax\n ret"); }
__attribute__((noipa)) int other(int x) { return x * 3 + 1; }
C
cat >"$T/program.c" <<'C'
#include <stdio.h>
int work(void), other(int);
int main(void)
{
	char line[64];
	int sum = 0;
	puts("ready");
	fflush(stdout);
	for (int i = 0; i < 3 && fgets(line, sizeof line, stdin); i++)
		sum += work() + other(1);
	printf("sum=%d\n", sum);
	return 0;
}
C
gcc -O2 -shared -fPIC -Wl,-z,notext -o "$T/libtext.so" "$T/library.c" 2>/dev/null
gcc -O2 -o "$T/program" "$T/program.c" -L"$T" -Wl,-rpath,"$T" -ltext
mkfifo "$T/fifo"
exec {lines}<>"$T/fifo"
stdin=$T/fifo start_target_and_wait "$T/program"

for options in '' '--comm program' "-p $$"; do
	# shellcheck disable=SC2086 # several words
	run "$BIN/funccount" -d 1 $options "$T/libtext.so:*o*r*"
	expect_status 1
	expect_line "^funccount: $T/libtext.so has text relocations \(DT_TEXTREL\), so it can only be traced in processes that have loaded it: use -p PID$" "$tool_err"
done
run_tool funccount -p "$target_pid" "$T/libtext.so:work" "$T/libtext.so:other"
printf '1\n2\n3\n' >&"$lines"
wait_for "! alive $target_pid" 10
stop_tool
expect_line '^sum=33$' "$target_out" # 3 * (7 + 4)
expect_line '^other +3$' "$tool_out"
expect_line '^funccount: skipped 1 of 2 functions: the program has changed them in its memory: work$' "$tool_err"
