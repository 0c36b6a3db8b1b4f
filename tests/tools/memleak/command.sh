#!/bin/bash
# timeout: 400
# alone: the tool has to read the stacks of a program that ends at once in time
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# A program that the tool starts, from its first instruction on; and Python, whose large objects
# come from malloc().
echo keep >"$T/keep"
stdin=$T/keep run "$BIN/memleak" --json -o 0 -T 100 -c "$TARGETS/leaks" 100
expect_status 0
expect_line '"bytes":15120,"count":15,.*"keep_aligned' "$tool_out"
expect_line '"bytes":10010,"count":10,.*"keep_malloc' "$tool_out"
expect_no_line lose_nothing "$tool_out"
# Also without -o: blocks that a program holds when it ends are never freed, however young they are.
stdin=$T/keep run "$BIN/memleak" --json -T 100 -c "$TARGETS/leaks" 100
expect_status 0
expect_line '"bytes":10010,"count":10,.*"keep_malloc' "$tool_out"
# Also if another library has its malloc(): one that it links, and one that is preloaded.
jemalloc=$(find /usr/lib -name 'libjemalloc.so.2' -print -quit)
if [ -n "$jemalloc" ]; then
	g++ -g -O1 -o "$T/leaks" "$ROOT/tests/targets/leaks.cpp" -Wl,--no-as-needed "$jemalloc" -pthread
	for preloaded in '' "$jemalloc"; do
		program=$TARGETS/leaks
		[ -n "$preloaded" ] || program=$T/leaks
		LD_PRELOAD=$preloaded stdin=$T/keep run "$BIN/memleak" --json -o 0 -T 100 -c "$program" 100
		expect_status 0
		expect_line '"bytes":10010,"count":10,.*"keep_malloc' "$tool_out"
	done
fi
# Blocks that a program held at its end are shown even if its parent has already waited for it.
mkfifo "$T/go"
exec 8<>"$T/go"
stdin=$T/go start_target_and_wait bash -c '"$1" </dev/stdin 8>&- & echo $! >"$2"; wait; sleep 100' - "$TARGETS/leaks" "$T/held"
wait_for "[ -s '$T/held' ]" 20
run_tool memleak --json -p "$(<"$T/held")" -o 0 -T 100 100
echo keep >&8
wait_for "grep -q done '$target_out'" 20
kill "$(<"$T/held")"
stop_tool
expect_status 0
expect_line '"bytes":15120,"count":15,.*"keep_aligned' "$tool_out"
need_python
cat >"$T/hold.py" <<'END'
import sys
print("ready", flush=True)
for line in sys.stdin:
    held = [bytearray(100001) for i in range(100)]
    print("done", flush=True)
END
start_worker "${python_program[@]}" "$T/hold.py"
run_tool memleak --json -p "$target_pid" -o 0 -T 1 100
work hold
stop_tool INT
expect_status 0
expect_line '"bytes":100002[0-9]{2},"count":100,' "$tool_out"
run_tool memleak --json -p "$target_pid" -o 0 -T 1 100
work hold hold hold
stop_tool INT
expect_line '"bytes":100002[0-9]{2},"count":100,' "$tool_out"
