#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# An ambiguous name lists the functions; an unknown one lists similar names. One line, status 1.
refused() { # PROBE PART…
	run "$BIN/trace" "$1"
	expect_status 1
	expect_equal "$(wc -l <"$tool_err") line, $(wc -c <"$tool_out") bytes" '1 line, 0 bytes'
	local part
	for part in "${@:2}"; do
		grep -qF -- "$part" "$tool_err" || fail "$(cat "$tool_err")"$'\n'"lacks: $part"
	done
}
refused "$TARGETS/names_cpp:shapes::area" 'shapes::area(int)' 'shapes::area(int, unsigned long)' "$TARGETS/names_cpp"
refused "$TARGETS/names_cpp:shapes::aria" shapes::area
refused "$TARGETS/names_cpp:area" shapes::area
refused "$TARGETS/values:factorail" factorial
refused "$TARGETS/values:*not*there*" "$TARGETS/values" 'not*there'
refused 'c:opne' open
refused 'u:'"$TARGETS/demo"':order_placed' order__placed
refused 'u:'"$TARGETS/demo"':shop:order_placed' shop:order__placed
refused 'u:'"$TARGETS/demo"':bank:order__placed' shop:order__placed
refused 'u:'"$TARGETS/values"':none' "$TARGETS/values has no USDT probes"
refused 't:syscalls:sys_enter_opne' sys_enter_open
refused 't:syscall:sys_enter_open' syscalls
refused 'no-such-lib:f' no-such-lib
refused "$T/no-such-file:f" "$T/no-such-file" 'No such file'
refused "$T:f" "$T"
refused "$0:f" 'not an ELF file'
# In a process: names in the files that it maps.
start_target_and_wait "$TARGETS/demo"
run "$BIN/trace" -p "$target_pid" 'libnot-there:f'
expect_status 1
expect_line "libnot-there" "$tool_err"
run "$BIN/trace" -p "$target_pid" 'u::order__place'
expect_status 1
expect_line 'order__placed' "$tool_err"

# Suggestions can be typed as they are, also if they have quotes.
offered() { # PROBE WHAT
	refused "u:$TARGETS/operands:$1" "did you mean $2?"
	run "$BIN/trace" -M 1 "u:$TARGETS/operands:$2 \"%d\", arg1" --exec -- "$TARGETS/operands"
	expect_status 0
	expect_count 1 ' 4[01]$' "$tool_out"
}
offered in_quotes "'\"in quotes\"'"
offered operand:in_quotes "operand:'\"in quotes\"'"
offered "\"both'? kinds\"" "\"?both'? ?kinds]\""
