#!/bin/bash
# ring: first
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# The BPF objects in the program have no labels of jumps and no line records, but records of
# functions, which the kernel asks for, and of CO-RE relocations.
need_command llvm-objcopy
for object in "$BUILD"/skel/*.skel.h; do
	object=$BUILD/bpf/$(basename "$object" .skel.h).o
	readelf -sW "$object" >"$T/symbols" 2>/dev/null
	expect_no_line ' LBB[0-9_]+$' "$T/symbols"
	llvm-objcopy --dump-section ".BTF.ext=$T/ext" "$object" /dev/null
	read -r functions lines < <(od -A n -t u4 -j 12 -N 12 "$T/ext" | awk '{ print $1, $3 }')
	[ "$functions" -gt 0 ] || fail "$object has no records of functions"
	expect_equal "$object $lines" "$object 0"
done

# The whole program, with all tools.
if readelf -lW "$BIN/uscope" | grep -q INTERP || readelf -SW "$BIN/uscope" | grep -qF .symtab; then
	skip 'the program is not static and stripped; the rest passed'
fi
size=$(stat -c %s "$BIN/uscope")
[ "$size" -le 6000000 ] || fail "build/bin/uscope has $size bytes, more than 6000000"
