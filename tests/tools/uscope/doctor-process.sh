#!/bin/bash
# timeout: 240
source "$(dirname "$0")/../../lib.sh"

# With a PID, doctor reports what readelf finds in the program, and what the tools say; it probes
# nothing.
need_command gcc objcopy readelf python3
doctor() { # PID
	run "$BIN/uscope" doctor "$@"
	expect_status 0
	expect_equal "$(cat "$tool_err")" ''
}
cat >"$T/main.c" <<'C'
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline, used)) int shown(int a) { return a + 1; }
int main(void) { puts("ready"); fflush(stdout); return pause() + shown(1); }
C
gcc -g -O1 -Wl,--build-id -o "$T/full" "$T/main.c"
start_target_and_wait "$T/full"
doctor "$target_pid"
expect_equal "$(head -n 2 "$tool_out")" "uscope $(cat "$ROOT/VERSION"), $(uname -srm)
process $target_pid (full)"
build_id=$(readelf -n "$T/full" | sed -nE 's/.*Build ID: //p')
functions=$(readelf -Ws --use-dynamic "$T/full" >/dev/null 2>&1 && readelf -Ws "$T/full" |
	awk '/\.symtab/ { full = 1 } full && $4 == "FUNC" && $7 != "UND" && $8 != ""' | wc -l)
expect_line "^program +ok +$T/full: [^ ]+, dynamic, build-id $build_id\$" "$tool_out"
expect_line "^symbols +ok +$T/full: $functions functions by name, from \.symtab\$" "$tool_out"
expect_line "^debug information +ok +$T/full: in the file itself\$" "$tool_out"
expect_line '^runtime +info +none that the tools know$' "$tool_out"
expect_line '^USDT probes +absent' "$tool_out"
for name in trace funccount funclatency stackcount argdist memleak profile; do
	expect_line "^$name +ok" "$tool_out"
done
expect_line "^ugc +no +does not work: process $target_pid \(full\) runs none of these languages" "$tool_out"
expect_line "^gohttp +no +does not work: $T/full is not a Go program\$" "$tool_out"
run "$ROOT/tests/breakpoints" "$target_pid"
expect_equal "$(cat "$tool_out")" "0 $target_pid"

# A stripped program: each path of its debug file, first without it, then with it.
objcopy --only-keep-debug "$T/full" "$T/apart.debug"
objcopy --strip-all --add-gnu-debuglink="$T/apart.debug" "$T/full" "$T/bare"
mv "$T/apart.debug" "$T/moved"
start_target_and_wait "$T/bare"
doctor "$target_pid"
expect_line "^debug information +absent +$T/bare: none, .*/usr/lib/debug/\.build-id/${build_id:0:2}/${build_id:2}\.debug does not exist; $T/apart\.debug does not exist; " "$tool_out"
expect_no_line '^symbols +ok' "$tool_out"
cp "$TARGETS/calls" "$T/apart.debug"
doctor "$target_pid"
expect_line "^debug information +absent .*; $T/apart\.debug has another build-id; " "$tool_out"
mv "$T/moved" "$T/apart.debug"
doctor --json "$target_pid"
python3 - "$tool_out" "$T" "$build_id" "$functions" "$target_pid" <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
folder, build_id, functions, pid = sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
assert report["pid"] == pid and report["comm"] == "bare" and report["program"] == folder + "/bare", report
file = report["files"][0]
assert file["path"] == folder + "/bare" and file["build_id"] == build_id, file
assert file["symbols"] == folder + "/apart.debug" and file["functions"] == functions and file["has_debug_info"], file
assert [tried for tried in file["debug_files"] if "refusal" not in tried] == [{"path": folder + "/apart.debug"}], file
assert len(report["files"]) > 1, report
PY

# USDT probes, by provider.
start_target "$TARGETS/demo"
wait_for "grep -q demo /proc/$target_pid/maps && grep -q libc /proc/$target_pid/maps" 10
doctor "$target_pid"
probes=$(readelf -n "$TARGETS/demo" | awk '/Provider: shop/ { getline; print $2 }' | sort -u | wc -l)
expect_line "^USDT probes +ok .*shop: $probes in $TARGETS/demo" "$tool_out"
expect_line '^tplist +ok' "$tool_out"

# No process, a kernel thread, not a number.
expect_refused() { # STATUS TEXT WORD…
	run "$BIN/uscope" doctor "${@:3}"
	expect_status "$1"
	expect_equal "$(cat "$tool_out")" ''
	expect_equal "$(cat "$tool_err")" "uscope doctor: $2"
}
stop_target
expect_refused 1 "there is no process $target_pid" "$target_pid"
expect_refused 2 '"abc" is not a process or thread id' abc
thread=$(for stat in /proc/[0-9]*/stat; do awk '$4 == 2 && $5 == 0 { print $1; exit }' "$stat" 2>/dev/null || true; done | head -n 1)
[ -z "$thread" ] || expect_refused 1 "process $thread is a kernel thread: it executes no program" "$thread"
