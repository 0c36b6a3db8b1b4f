#!/bin/bash
# timeout: 400
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# Blocks of a process that has ended or executes another program are forgotten, also in the kernel.
start_worker "$TARGETS/leaks"
run_tool memleak -p "$target_pid" -o 0 -i 0.3
work keep
wait_for "grep -q '10010 bytes in 10 ' '$tool_out'" 20
echo exec >&7
wait_for "[ \$(grep -c ready '$target_out') -eq 2 ]" 20
shown=$(grep -c '^\[' "$tool_out") || true
wait_for "[ \$(grep -c '^\[' '$tool_out') -gt $((shown + 1)) ]" 20
expect_equal "$(tac "$tool_out" | sed '/^\[/q' | grep -c 10010)" 0
work keep
shown=$(grep -c '^\[' "$tool_out") || true
wait_for "[ \$(grep -c '^\[' '$tool_out') -gt $((shown + 1)) ]" 20
expect_line '10010 bytes in 10 ' <(tac "$tool_out" | sed '/^\[/q')
stop_tool INT
expect_status 0
stop_target KILL

# Children, one after the other: their blocks disappear with them.
mkfifo "$T/go"
exec 8<>"$T/go"
stdin=$T/go start_target bash -c "read -r; for i in 1 2 3 4 5 6; do echo keep | '$TARGETS/leaks' >/dev/null; done; echo ready; read -r"
run_tool memleak -F -p "$target_pid" -o 0 -i 0.3
echo >&8
wait_for "grep -q ready '$target_out'" 60
shown=$(grep -c '^\[' "$tool_out") || true
wait_for "[ \$(grep -c '^\[' '$tool_out') -gt $((shown + 2)) ]" 20
expect_equal "$(tac "$tool_out" | sed '/^\[/q' | grep -c 10010)" 0
stop_tool INT
expect_status 0

# Blocks that do not fit in the table are counted, and the others are right.
start_worker "$TARGETS/leaks"
run_tool memleak --json -p "$target_pid" -o 0 --blocks 100 100
work keep
stop_tool INT
expect_status 0
expect_line 'memleak: [0-9]+ blocks are not counted: no room for more blocks \(increase --blocks\)' "$tool_err"
expect_line '"type":"lost",.*"what":"blocks","reason":"no room for more blocks' "$tool_out"
