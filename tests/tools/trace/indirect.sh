#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# An indirect function is the implementation that the process has chosen. Without a process it is
# refused, because a probe on its symbol would fire for no call.
program=$TARGETS/indirect
readelf -sW "$program" >"$T/symbols"
grep -q 'IFUNC .* scale$' "$T/symbols" || skip 'the compiler does not support indirect functions'
run "$BIN/trace" "$program:scale" --exec -- "$program"
expect_status 1
expect_line "^trace: $program:scale is an indirect function \\(IFUNC\\): $program chooses its implementation when a program starts; use -p PID to trace the one that the process uses, or name one: scale_(fast, scale_slow|slow, scale_fast)\$" "$tool_err"
expect_equal "$(wc -l <"$tool_err")" 1
expect_equal "$(cat "$tool_out")" ''
run "$BIN/trace" 'c:strlen'
expect_status 1
expect_line '^trace: c:strlen is an indirect function .*libc.*-p PID' "$tool_err"

start_target_and_wait "$program" 100000
run "$BIN/trace" -M 5 -p "$target_pid" "$program:scale \"%d\", arg1" "r:$program:scale \"%d %d\", \$entry(arg1), retval"
expect_status 0
expect_equal "$(awk '$4 == "scale" && NF == 6 { print $6 == 3 * $5 }' "$tool_out" | sort -u)" 1

# A pattern also selects the implementation, once even if it also matches the implementation's name.
# Without a process, the function is skipped and counted.
run "$BIN/trace" -M 3 -p "$target_pid" "$program:scale*"
expect_status 0
expect_count 0 '' "$tool_err"
expect_count 3 ' scale_fast( |$)' "$tool_out"
run "$BIN/trace" --dry-run "$program:scale*"
expect_line '^trace: 1 of 3 functions cannot be probed: 1 are indirect \(IFUNC\), and only -p shows which code runs: scale$' "$tool_err"
run "$BIN/funccount" -p "$target_pid" -i 0.2 -n 1 'c:str*'
expect_status 0
expect_line '^strlen +[1-9]' "$tool_out"
# For a function that the process has never called, no implementation is chosen yet.
expect_line '^funccount: .* are indirect \(IFUNC\), and the process does not show which code runs: .*strstr' "$tool_err"

# An indirect function of a library: its file needs no symbols of the implementations.
run "$BIN/trace" -M 2 -p "$target_pid" 'c:strlen "<%s>", arg1'
expect_status 0
expect_count 2 " strlen +<$program>\$" "$tool_out"
