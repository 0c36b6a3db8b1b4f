#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# One program, built in different ways: with unwind tables in different sections, or without. Its
# stacks are the same, and no frame is missing in the middle.
[ "$(uname -m)" = x86_64 ] || skip 'code without unwind tables is decoded on x86-64 only'
need_command gcc strip python3

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
	"$@" "$ROOT/tests/tools/stackcount/frames.c" -o "$program"
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
