#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Output formats of a profile: folded lines, which are read again and compared; a flame graph; files
# for pprof and speedscope.
start_target_and_wait "$TARGETS/spin"
run_tool profile -F 499 -f -p "$target_pid" 1
stop_tool
expect_status 0
expect_line '^spin;.*main;spin;often;burn [0-9]+$' "$tool_out"
cp "$tool_out" "$T/before"
total=$(awk '{ sum += $NF } END { print sum }' "$T/before")

# Below the stacks, a table has each function's own samples and those of its callees. Functions of
# the kernel would fill it on a busy machine.
run_tool profile -U -F 499 -p "$target_pid" 1
stop_tool
sed -n '/^    SELF    TOTAL  FUNCTION$/,$p' "$tool_out" >"$T/functions"
expect_line '^ +[0-9]+\.[0-9]+% +(100|9[0-9])\.[0-9]+%  main$' "$T/functions"
expect_line '^ +[0-9]+\.[0-9]+% +[0-9]+\.[0-9]+%  burn$' "$T/functions"
expect_equal "$(sed -nE '2s/.*  //p' "$T/functions")" burn

# Without any privileges, and without a process.
replay() { run "$BIN/profile" --replay "$T/before" "$@" && expect_status 0; }
replay -f
expect_equal "$(sort "$tool_out")" "$(sort "$T/before")"
replay --pprof "$T/cpu.pb.gz"
expect_equal "$(cat "$tool_out")" ''
if command -v go >/dev/null; then
	PPROF_TMPDIR=$T go tool pprof -raw "$T/cpu.pb.gz" >"$T/raw" 2>"$T/raw.err" || fail "$(cat "$T/raw.err")"
	expect_line '^samples/count cpu/nanoseconds' "$T/raw"
	expect_equal "$(awk '/^ +[0-9]+ +[0-9]+:/ { sum += $1 } END { print sum }' "$T/raw")" "$total"
	expect_line ' often ' "$T/raw"
fi
replay --speedscope "$T/cpu.json"
expect_equal "$(python3 -c '
import json, sys
file = json.load(open(sys.argv[1]))
profile = file["profiles"][0]
assert len(profile["samples"]) == len(profile["weights"]) and profile["endValue"] == sum(profile["weights"])
print("often" in [file["shared"]["frames"][frame]["name"] for sample in profile["samples"] for frame in sample])
' "$T/cpu.json")" True
replay --svg "$T/cpu.svg"
expect_line 'often \([0-9,]+ samples' "$T/cpu.svg"

printf 'shop;main;sell 3\nshop;main 1\n' >"$T/small"
run "$BIN/profile" --replay "$T/small"
expect_equal "$(tail -n 4 "$tool_out")" '    SELF    TOTAL  FUNCTION
  75.00%   75.00%  sell
  25.00%  100.00%  main'

# Compared with itself, a recording has no changes; compared with another one, it has changes scaled
# to the same length.
replay --diff "$T/before"
expect_no_line '^        [+-][1-9]' "$tool_out"
printf 'spin;main;old 30\nspin;main;same 10\n' >"$T/old"
printf 'spin;main;new 10\nspin;main;same 10\n' >"$T/new"
run "$BIN/profile" --replay "$T/new" --diff "$T/old"
expect_equal "$(grep -E '^        ' "$tool_out")" '        +5 samples (5 before, 10 now)
        +10 samples (0 before, 10 now)
        -15 samples (15 before, 0 now)'
run "$BIN/profile" --replay "$T/new" --diff "$T/old" --json
expect_line '"count":10,"before":5,"change":5,"stack":\["spin","main","same"\]' "$tool_out"
run "$BIN/profile" --replay "$T/new" --diff "$T/old" --svg "$T/change.svg"
expect_line 'same \(10 samples, 50.00%; 5 before, 25.00%\)' "$T/change.svg"

# A recording without a unit may be of anything.
run "$BIN/profile" --replay "$T/new" --svg "$T/new.svg"
expect_line ">Stacks, replayed from $T/new" "$T/new.svg"
expect_no_line 'CPU time' "$T/new.svg"

run "$BIN/profile" --replay <(printf 'spin\x01main\n')
expect_line 'does not end with a count: spin\\x01main$' "$tool_err"
run "$BIN/profile" --replay "$TARGETS/spin"
expect_status 1
run "$BIN/profile" --replay <(echo 'spin;main')
expect_status 1
expect_line 'line 1 of the folded stacks does not end with a count: spin;main' "$tool_err"

run "$BIN/profile" -C 9999 1
expect_status 1
expect_line '^profile: processor 9999 does not exist or is offline$' "$tool_err"
