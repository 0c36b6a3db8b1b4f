#!/bin/bash
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

for tool in "$BIN"/*; do
	readelf -lSW "$tool" >"$T/elf"
	expect_no_line 'INTERP|\.symtab|\.debug_' "$T/elf"
done
