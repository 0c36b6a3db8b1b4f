#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# Objects by class, as often as they are created; in intervals, and only the N most frequent ones.
start_ruby_worker
run_tool uobjnew "$target_pid" 0.2
work objects strings objects
wait_for "[ \"\$(awk '\$1 == \"Octi\" { n += \$2 } END { print n }' '$tool_out')\" = 1400 ]" 20
stop_tool INT
expect_status 0
# String.new("...") creates two strings, and no other object.
strings=$(awk '$1 == "string" { n += $2 } END { print n + 0 }' "$tool_out")
[ "$strings" -ge 600 ] && [ "$strings" -lt 700 ] || fail "$strings strings"
expect_no_line '^(String|Array|Hash) ' "$tool_out"
expect_line '^Octi +[0-9]+ *$' "$tool_out"

run_tool uobjnew -C 1 "$target_pid"
work objects
stop_tool INT
expect_status 0
expect_equal "$(sed -nE 's/^(\S+) +([0-9]+) *$/\1 \2/p' "$tool_out")" 'Octi 700'
