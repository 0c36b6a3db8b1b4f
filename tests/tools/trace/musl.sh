#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# musl programs, as on Alpine: the dynamic linker is also the C library. In a static program, it is
# the program.
need_command musl-gcc
cat >"$T/blocks.c" <<'C'
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	void *volatile block;

	setlinebuf(stdout);
	puts("ready");
	while (getchar() != EOF) {
		for (int i = 0; i < 7; i++) {
			block = malloc(12345);
			free(block);
		}
		while (getchar() != '\n')
			;
		puts("done");
	}
}
C
linker=ld-musl-$(uname -m).so.1
cp -L "/lib/$linker" "$T"
musl-gcc -O1 -Wl,--dynamic-linker="$T/$linker" "$T/blocks.c" -o "$T/dynamic"
musl-gcc -O1 -static "$T/blocks.c" -o "$T/static"

blocks() { sed -nE 's/^malloc: block size 12345 +([0-9]+) +([0-9]+)$/\1 \2/p' "$tool_out"; }
for library in dynamic:c static:static; do
	start_worker "$T/${library%:*}"
	run_tool trace -M 7 -p "$target_pid" "${library#*:}:malloc(size_t size) (size == 12345) \"%ld bytes\", size"
	work x
	stop_tool
	expect_status 0
	expect_count 7 ' malloc +12345 bytes$' "$tool_out"

	run_tool uobjnew "$target_pid"
	work x
	stop_tool INT
	expect_status 0
	expect_equal "$(blocks)" '7 86415'
	[ "${library%:*}" = static ] || stop_target KILL
done

# The error says what to type.
run "$BIN/trace" -p "$target_pid" c:malloc
expect_status 1
expect_line "^trace: process $target_pid \(static\) is a static program .*; use static instead\$" "$tool_err"
stop_target KILL
