#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Object files, and files without section headers: the errors say why nothing can be found there,
# not that the file has no probes or is stripped.
# privileges: none
need_command gcc python3
gcc -O1 -c -o "$T/a.o" -x c - <<<'int sell(void) { return 1; }'
cp "$TARGETS/calls" "$T/bare"
python3 - "$T/bare" <<'PY'
import sys
file = bytearray(open(sys.argv[1], "rb").read())
file[0x28:0x30] = bytes(8)   # e_shoff
file[0x3c:0x40] = bytes(4)   # e_shnum, e_shstrndx
open(sys.argv[1], "wb").write(file)
PY
expect_refused() { # REGEX TOOL ARG…
	run "$BIN/$2" "${@:3}"
	expect_status 1
	expect_line "$1" "$tool_err"
	expect_no_line 'stripped|has no USDT probes$' "$tool_err"
}
object='it is an object file, which no process runs: name the program or library that it is linked into$'
expect_refused "a\.o has no USDT probes that can be found: $object" tplist -l "$T/a.o"
expect_refused "a\.o has no USDT probes that can be found: $object" trace --dry-run "u:$T/a.o:shop:sell"
expect_refused "'sell' cannot be found in .*a\.o: $object" trace --dry-run "$T/a.o:sell"
expect_refused 'bare has no USDT probes that can be found: it has no section headers$' tplist -l "$T/bare"
expect_refused "'nosuch' cannot be found in .*bare: it has no section headers$" trace --dry-run "$T/bare:nosuch"
