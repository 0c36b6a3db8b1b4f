#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# A running process: every file that it maps, with the current values of semaphores; a probe in two
# libraries is shown twice.
cp "$TARGETS/plugin" "$T/one.so"
cp "$TARGETS/plugin" "$T/two.so"
start_target_and_wait env LD_PRELOAD="$T/one.so $T/two.so" "$TARGETS/demo"
run "$BIN/tplist" -p "$target_pid"
expect_status 0
expect_count 1 "^$T/one.so late:fire\$" "$tool_out"
expect_count 1 "^$T/two.so late:fire\$" "$tool_out"
expect_count 4 "^$TARGETS/demo shop:" "$tool_out"

value_of() { "$BIN/tplist" -v -p "$target_pid" "shop:$1" | sed -n 's/^  the semaphore is //p'; }
expect_equal "$(value_of order__placed) $(value_of item__added)" '0 0'
run_tool trace -p "$target_pid" "u:$TARGETS/demo:order__placed"
expect_equal "$(value_of order__placed) $(value_of item__added)" '1 0'
run "$BIN/tplist" --json --pid "$target_pid" shop:order__placed
expect_line '"semaphore_value":1,' "$tool_out"
stop_tool INT
expect_equal "$(value_of order__placed)" 0

# Only one of its libraries, by name.
run "$BIN/tplist" -p "$target_pid" -l two.so
expect_equal "$(cat "$tool_out")" "$T/two.so late:fire"
run "$BIN/tplist" -p "$target_pid" -l nothing-there
expect_status 1
expect_line "^tplist: .*$target_pid.*nothing-there" "$tool_err"
run "$BIN/tplist" -p "$target_pid" -f shop::pay
expect_equal "$(cat "$tool_out")" "$TARGETS/demo shop::pay(char const*, long)"

stop_target
run "$BIN/tplist" -p "$target_pid"
expect_status 1
expect_equal "$(wc -l <"$tool_err")" 1
