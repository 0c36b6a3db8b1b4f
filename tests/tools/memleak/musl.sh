#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# memleak traces a musl program that it starts. Such a program's malloc() is in the dynamic linker.
need_command musl-gcc
cat >"$T/held.c" <<'C'
#include <stdlib.h>

static void *volatile held[8];

int main(void)
{
	for (int i = 0; i < 7; i++)
		held[i] = malloc(12345);
	free(held[0]);
}
C
linker=ld-musl-$(uname -m).so.1
cp -L "/lib/$linker" "$T"
musl-gcc -O1 -Wl,--dynamic-linker="$T/$linker" "$T/held.c" -o "$T/held"
run "$BIN/memleak" --json -o 0 -z 12345 -Z 12345 -- "$T/held"
expect_status 0
expect_line '"bytes":74070,"count":6,' "$tool_out"
