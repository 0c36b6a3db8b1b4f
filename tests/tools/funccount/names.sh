#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Counts functions with symbol versions, functions that the linker has merged, and names that
# several symbols have.
need_command gcc g++
cat >"$T/versions.map" <<'END'
V1 { global: rate; local: *; };
V2 { global: rate; } V1;
END
cat >"$T/library.c" <<'END'
static volatile long sum;
__attribute__((noipa)) int rate_old(int x) { sum += x; return 1; }
__attribute__((noipa)) int rate_new(int x) { sum -= x; return 2; }
__asm__(".symver rate_old,rate@V1");
__asm__(".symver rate_new,rate@@V2");
END
cat >"$T/program.cpp" <<'END'
#include <cstdio>
#include <dlfcn.h>
struct Base { virtual ~Base(); };
__attribute__((noipa)) Base::~Base() {}
extern "C" {
__attribute__((noipa)) int twin_a(int x) { return x + 3; }
int twin_b(int) __attribute__((alias("twin_a")));
}
int main(int, char **argument)
{
	void *library = dlopen(argument[1], RTLD_NOW);
	auto rate_1 = (int (*)(int))dlvsym(library, "rate", "V1"), rate_2 = (int (*)(int))dlvsym(library, "rate", "V2");
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF) {
		for (int i = 0; i < 4; i++)
			rate_1(i);
		for (int i = 0; i < 11; i++)
			rate_2(i);
		for (int i = 0; i < 9; i++)
			twin_a(twin_b(twin_b(i)));
		puts("done");
		fflush(stdout);
	}
}
END
gcc -O2 -fPIC -shared "$T/library.c" -Wl,--version-script="$T/versions.map" -o "$T/library.so"
g++ -O2 "$T/program.cpp" -o "$T/program" -ldl

counts() { # PROBE…
	mkfifo "$T/go"
	exec 7<>"$T/go"
	stdin=$T/go start_target_and_wait "$T/program" "$T/library.so"
	run_tool funccount -p "$target_pid" "$@"
	echo -n x >&7
	wait_for "grep -q done '$target_out'" 10
	stop_tool INT
	stop_target KILL
	rm "$T/go"
	awk '$2 ~ /^[0-9]+$/ && NF == 2 { print $1, $2 }' "$tool_out" | sort
}
expect_equal "$(counts "$T/library.so:rate")" 'rate 11'
counts "$T/library.so:rate" >"$T/counts"
expect_line "^funccount: calls of rate@V1 are not traced \('rate@\*' means every version\)$" "$tool_err"
expect_equal "$(counts "$T/library.so:rate@V1")" 'rate@V1 4'
expect_equal "$(counts "$T/library.so:rate@V2")" 'rate@@V2 11'
expect_equal "$(counts "$T/library.so:rate@*")" $'rate@@V2 11\nrate@V1 4'
strip "$T/library.so"
expect_equal "$(counts "$T/library.so:rate@*")" $'rate@@V2 11\nrate@V1 4'

counts "$T/program:twin_b" >"$T/counts"
expect_equal "$(cat "$T/counts")" 'twin_b 27'
expect_line '^funccount: twin_b shares its code with twin_a: calls of all are traced$' "$tool_err"
counts "$T/program:twin_*" >"$T/counts"
expect_equal "$(cat "$T/counts")" 'twin_a 27'
expect_line '^funccount: twin_a shares its code with twin_b: calls of all are traced$' "$tool_err"
counts "$T/program:Base::~Base" >"$T/counts"
expect_line '^funccount: Base::~Base\(\) means 2 functions, which may call each other: _ZN4BaseD[12]Ev, _ZN4BaseD0Ev$' "$tool_err"

# A function without its program: the error explains how to name it.
mkfifo "$T/go"
exec 7<>"$T/go"
stdin=$T/go start_target_and_wait "$T/program" "$T/library.so"
run "$BIN/stackcount" -p "$target_pid" twin_a
expect_status 1
expect_line "\(process $target_pid has this function: $T/program:twin_a\)\$" "$tool_err"
