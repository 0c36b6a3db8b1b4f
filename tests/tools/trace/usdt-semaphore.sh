#!/bin/bash
# alone: it kills a tool, and any tool that starts next would remove the leftover probes
source "$(dirname "$0")/../../lib.sh"

# A probe's semaphore, which the program prints, is above 0 while a tracer listens. The kernel
# maintains it, also if tracers are killed, so none stays above 0.
[ "$(uname -m)" = x86_64 ] || skip 'the operands are for x86-64'
program=$TARGETS/operands
start_target_and_wait "$program" 100000
count() { tail -n 1 "$target_out"; }
listed() { "$BIN/tplist" -v -p "$target_pid" operand:counted | sed -n 's/^  the semaphore is //p'; }
wait_for '[ "$(count)" = 0 ]' 5
expect_equal "$(listed)" 0
probe="u:$program:counted \"%d\", arg1"

run_tool trace -p "$target_pid" "$probe"
first=$tool_pid
wait_for '[ "$(count)" = 1 ]' 5
expect_equal "$(listed)" 1
run_tool trace "$probe" "u:$program:counted \"again\""
wait_for "grep -q again '$tool_out'" 10
kill -KILL "$first"
wait_for "! alive $first" 10
lines=$(grep -c again "$tool_out")
wait_for "[ \$(grep -c again '$tool_out') -gt $lines ]" 10
[ "$(count)" -ge 1 ] || fail 'a tracer has removed the count of another one'
kill -KILL "$tool_pid"
wait_for '[ "$(count)" = 0 ]' 10
expect_equal "$(listed)" 0

# A tracer that ends normally, and a program that starts later.
run_tool trace "u:$program:counted \"%d\", arg1" --exec -- "$program" 10
stop_tool
expect_status 0
expect_line ' counted +1$' "$tool_out"
expect_equal "$(count)" 0
run_tool trace -p "$target_pid" "$probe"
wait_for '[ "$(count)" = 1 ]' 5
stop_tool TERM
wait_for '[ "$(count)" = 0 ]' 5
alive "$target_pid" || fail 'the program has ended'
