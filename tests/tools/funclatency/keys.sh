#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Histograms by function and process, one for all processes of -p, by process, by name.
target=$TARGETS/calls
titles() { grep -E '^(Function|Process) = ' "$tool_out" | sort; }

run_tool funclatency "$target:plain" "$target:slow"
"$target" 1 plain:30 slow:2 &
first=$!
(exec -a other "$target" 2 plain:40) &
second=$!
wait "$first" "$second"
stop_tool INT
expect_equal "$(titles)" "$(printf 'Function = %s\n' "plain [$first]" "plain [$second]" "slow [$first]" | sort)"
expect_equal "$(sed -n 's/^avg = .*count: //p' "$tool_out" | xargs)" '2 30 80 112'

# For one process: one histogram without a title for a function, one for each function of a pattern
# or of several patterns, unless they are to be together.
stdin=/dev/zero start_target "$TARGETS/demo"
run_tool funclatency -p "$target_pid" -d 0.3 "$TARGETS/demo:shop::pay"
stop_tool
expect_status 0
expect_equal "$(titles)" ''
expect_count 1 '^avg = ' "$tool_out"
each=$(printf 'Function = shop::%s\n' "pay [$target_pid]" "pick_customer [$target_pid]")
run_tool funclatency -p "$target_pid" -d 0.3 "$TARGETS/demo:shop::p[ai]*"
stop_tool
expect_equal "$(titles)" "$each"
run_tool funclatency -p "$target_pid" -d 0.3 -r "$TARGETS/demo:shop::p[ai]"
stop_tool
expect_equal "$(titles)" "$each"
run_tool funclatency -p "$target_pid" -d 0.3 "$TARGETS/demo:shop::pay" "$TARGETS/demo:shop::pick_customer"
stop_tool
expect_equal "$(titles)" "$each"
run_tool funclatency --together -p "$target_pid" -d 0.3 "$TARGETS/demo:shop::p[ai]*"
stop_tool
expect_equal "$(titles)" ''
expect_count 1 '^avg = ' "$tool_out"
run_tool funclatency --together -P -p "$target_pid" -d 0.3 -r "$TARGETS/demo:shop::p[ai]"
stop_tool
expect_equal "$(titles)" "Process = $target_pid"

# Without -p, all functions of all processes are together.
run_tool funclatency --together "$target:plain" "$target:slow"
"$target" 1 plain:3 slow:2
"$target" 1 plain:4
stop_tool INT
expect_equal "$(titles)" ''
expect_equal "$(sed -n 's/^avg = .*count: //p' "$tool_out" | xargs)" 9

run_tool funclatency --by-comm --top 1 "$target:plain" "$target:slow"
"$target" 1 plain:3 slow:2
stop_tool INT
expect_equal "$(titles)" 'Function = plain [calls]'

# The run ends with the process.
start_target "$TARGETS/demo" 600
run_tool funclatency -p "$target_pid" "$TARGETS/demo:main"
kill "$target_pid"
stop_tool
expect_status 0
