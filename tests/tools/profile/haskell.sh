#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
need_command shellcheck

# Stacks of a program that GHC has compiled lack all its functions but the innermost one: the tools
# say so, once, also if the program is stripped, and so does doctor.
for n in {1..300}; do
	echo "f$n() { a=\$1; for x in \$a; do echo \$x; if [ \$x = \"\$a\" ]; then cat foo | grep b; fi; done; }"
done >"$T/script"
scripts=() # so many that it does not end before the test
for n in {1..100}; do
	scripts+=("$T/script")
done
reason='only the innermost of its Haskell functions is in stacks, because GHC keeps their frames on a stack of its own'
start_target shellcheck -s bash "${scripts[@]}"
run_tool profile -F 99 -U -f -p "$target_pid"
wait_for "[ \"\$(awk '{ print \$14 + \$15 }' /proc/$target_pid/stat)\" -ge 50 ]" 60
stop_tool INT
expect_status 0
expect_line '^shellcheck;_start;.*;shellcheck' "$tool_out"
expect_count 1 "^profile: .*/shellcheck runs GHC: $reason\$" "$tool_err"
run "$BIN/uscope" doctor "$target_pid"
expect_line "^stacks +absent +$reason\$" "$tool_out"
stop_target KILL
