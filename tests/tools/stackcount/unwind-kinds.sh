#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# One program, built in different ways: with unwind tables in different sections, or without. Its
# stacks are the same, and no frame is missing in the middle.
[ "$(uname -m)" = x86_64 ] || skip 'code without unwind tables is decoded on x86-64 only'
need_command gcc strip python3
cat >"$T/many.c" <<'C'
#include <alloca.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
volatile long sum;
volatile char *place;
#define FUNCTION __attribute__((noipa)) void
FUNCTION leafy(int i) { sum += getppid() + i; }
FUNCTION grows(int i) { place = alloca(16 + i % 200); memset((void *)place, 1, 16); leafy(i); sum += place[3]; }
FUNCTION many(int a, int b, int c, int d, int e, int f, int g, long h, long k)
{
	long x[40];
	x[a % 40] = g + h + c + d + e + f;
	place = (char *)x;
	grows(a);
	sum += x[b % 40] + k;
}
FUNCTION top(int n) { for (int i = 0; i < n; i++) many(i, 2, 3, 4, 5, 6, 7, i, 9); sum++; }
int main() { top(400); sum++; }
C
# Removes the section headers, as `strip --strip-section-headers` of newer binutils does.
cat >"$T/without-headers.py" <<'P'
import struct, sys
data = bytearray(open(sys.argv[1], 'rb').read())
del data[struct.unpack_from('<Q', data, 40)[0]:]
data[40:48], data[58:64] = b'\0' * 8, b'\0' * 6
open(sys.argv[1], 'wb').write(data)
P

expect_whole() { # NAME COMMAND…
	local program=$T/$1
	shift
	"$@" "$T/many.c" -o "$program"
	[[ $program != *-headers ]] || python3 "$T/without-headers.py" "$program"
	run_tool stackcount -U -f --comm "${program##*/}" t:syscalls:sys_enter_getppid
	"$program"
	stop_tool INT
	expect_status 0
	expect_equal "$(sed -nE 's/^.*;(main;.*leafy)(;getppid)? /\1 /p' "$tool_out")" 'main;top;many;grows;leafy 400'
}

without=(-fno-asynchronous-unwind-tables -fno-unwind-tables)
expect_whole plain gcc -O2
expect_whole no-index gcc -O2 -Wl,--no-eh-frame-hdr
expect_whole no-headers gcc -O2 -rdynamic
expect_whole debug-frame gcc -O2 -g "${without[@]}"
expect_whole packed-frame gcc -O2 -g -gz=zlib "${without[@]}"
expect_whole pointers gcc -O2 -fno-omit-frame-pointer "${without[@]}"
expect_whole nothing gcc -O2 "${without[@]}"
expect_whole nothing-boxed gcc -Os -fcf-protection=full "${without[@]}"
expect_whole unoptimised gcc -O0 -fomit-frame-pointer "${without[@]}"
