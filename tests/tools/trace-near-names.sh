#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# A name that means several functions lists them; one that is missing lists what is near. One line, status 1.
refused() { # PROBE PART…
	run "$BIN/trace" "$1"
	expect_status 1
	expect_equal "$(wc -l <"$tool_err") line, $(wc -c <"$tool_out") bytes" '1 line, 0 bytes'
	local part
	for part in "${@:2}"; do
		grep -qF -- "$part" "$tool_err" || fail "$(cat "$tool_err")"$'\n'"does not say: $part"
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
# In a process: what it maps.
start_target_and_wait "$TARGETS/demo"
run "$BIN/trace" -p "$target_pid" 'libnot-there:f'
expect_status 1
expect_line "libnot-there" "$tool_err"
run "$BIN/trace" -p "$target_pid" 'u::order__place'
expect_status 1
expect_line 'order__placed' "$tool_err"
