#!/bin/bash
# ring: first
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

readelf -lSW "$BIN/uscope" >"$T/elf"
expect_no_line 'INTERP|\.symtab|\.debug_' "$T/elf"

# Each tool is a link to the one program.
for source in tools/*.cpp; do
	tool=$(basename "$source" .cpp)
	expect_equal "$(readlink "$BIN/$tool")" uscope
done
