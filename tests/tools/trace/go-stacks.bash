# shellcheck shell=bash
# For tests of the stacks of Go programs. Source this file after go.bash. The program is
# tests/targets/scripts/frames.go.
need_command objdump python3 strip

# Checks that the stacks at each instruction of three functions, and where the program prints its
# stack, are the same as those that Go's runtime reports: function names, and addresses within the
# program. UNSTRIPPED has the symbols of a stripped PROGRAM.
expect_stacks_of_go() { # PROGRAM [UNSTRIPPED]
	local symbols=${2:-$1} probes
	mapfile -t probes < <(objdump -d --no-show-raw-insn "$symbols" | awk -v program="$1" '
		/^[0-9a-f]+ <.*>:$/ { name = substr($2, 2, length($2) - 3); first = $1; wanted = name ~ /^main\.(leaf|framed|large|tell)$/ }
		wanted && /^ *[0-9a-f]+:\t/ && $2 !~ /^(int3|nop|rep|call)/ && !(name == "main.tell" && seen[name]++) {
			print program ":" name "+" ("0x" substr($1, 1, length($1) - 1)) "-0x" first }' |
		python3 -c 'import re, sys
for line in sys.stdin:
    function, address, start = re.match(r"(.*)\+(\w+)-(\w+)$", line).groups()
    offset = int(address, 16) - int(start, 16)
    print("p:" + function + (f"+{offset:#x}" if offset else "") + " \"\"")')
	[ ${#probes[@]} -gt 40 ] || fail "only ${#probes[@]} probes"
	run "$BIN/trace" -U -a "${probes[@]}" --exec -- "$1"
	expect_status 0
	expect_no_line 'lost' "$tool_err"
	cat "$tool_err" "$tool_out" >"$T/mixed"
	python3 "$ROOT/tests/targets/scripts/same_stacks.py" "$T/mixed" || fail "see above"
}
