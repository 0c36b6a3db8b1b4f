#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
need_command shellcheck

# Stacks of a program that GHC has compiled lack all its functions but the innermost one: the tools
# say so, once, also if the program is stripped, and so does doctor.
for n in {1..400}; do
	echo "f$n() { a=\$1; for x in \$a; do echo \$x; if [ \$x = \"\$a\" ]; then cat foo | grep b; fi; done; }"
done >"$T/script"
reason='only the innermost of its Haskell functions is in stacks, because GHC keeps their frames on a stack of its own'
start_target shellcheck -s bash "$T/script"
run "$BIN/uscope" doctor "$target_pid"
expect_line "^stacks +absent +$reason\$" "$tool_out"
run "$BIN/profile" -F 99 -U -f -p "$target_pid" 1
expect_line '^shellcheck;_start;.*;shellcheck' "$tool_out"
expect_count 1 "^profile: .*/shellcheck runs GHC: $reason\$" "$tool_err"
stop_target KILL
