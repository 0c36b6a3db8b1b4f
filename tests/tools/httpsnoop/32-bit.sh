#!/bin/bash
# alone: httpsnoop shows requests of all processes, also downloads of other tests
source "$(dirname "$0")/../../lib.sh"

# A 32-bit program, such as those that ldd starts, is skipped without a message, unless its PID is
# given.
[ "$(uname -m)" = x86_64 ] || skip '32-bit programs are tested on x86-64 only'
python3 - "$T/small" <<'END'
import struct, sys
code = bytes.fromhex("b81d000000cd80ebf7")  # pause(), again and again
start = 0x10000
header = b"\x7fELF\1\1\1" + bytes(9) + struct.pack("<HHIIIIIHHHHHH", 2, 3, 1, start + 84, 52, 0, 0, 52, 32, 1, 0, 0, 0)
segment = struct.pack("<8I", 1, 0, start, start, 84 + len(code), 84 + len(code), 5, 4096)
open(sys.argv[1], "wb").write(header + segment + code)
END
chmod 755 "$T/small"
python3 -c 'import os, sys; child = os.posix_spawn(sys.argv[1], sys.argv[1:], {}); os.kill(child, 9); os.waitpid(child, 0)' \
	"$T/small" 2>"$T/out" || skip "this kernel cannot run 32-bit programs: $(tail -n 1 "$T/out")"
start_target "$T/small"
run_tool httpsnoop
start_target "$T/small" # also starts after the tool
stop_tool INT
expect_no_line 'small' "$tool_err"
run "$BIN/httpsnoop" -d 0.1 -p "$target_pid"
expect_line "^httpsnoop: TLS of $T/small is not seen: .*: only 64-bit ones are supported$" "$tool_err"
