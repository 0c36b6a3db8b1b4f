# shellcheck shell=bash
# For tests with the stacks of Go programs: source it behind go.bash. The program is tests/targets/scripts/frames.go.
need_command objdump python3 strip

# The stacks that trace shows at each instruction of three functions are those that the program's runtime has: names of
# functions, and in its own code addresses. Of a stripped file the places are those of the one before.
expect_stacks_of_go() { # PROGRAM [UNSTRIPPED]
	local symbols=${2:-$1} probes
	mapfile -t probes < <(objdump -d --no-show-raw-insn "$symbols" | awk -v program="$1" '
		/^[0-9a-f]+ <.*>:$/ { name = substr($2, 2, length($2) - 3); first = $1; wanted = name ~ /^main\.(leaf|framed|large|tell)$/ }
		wanted && /^ *[0-9a-f]+:\t/ && $2 !~ /^(int3|nop|rep|call)/ && !(name == "main.tell" && seen[name]++) {
			print program ":" name "+" ("0x" substr($1, 1, length($1) - 1)) "-0x" first }' |
		python3 -c 'import re, sys
for line in sys.stdin:
    place, first, start = re.match(r"(.*)\+(\w+)-(\w+)$", line).groups()
    offset = int(first, 16) - int(start, 16)
    print("p:" + place + (f"+{offset:#x}" if offset else ""))')
	[ ${#probes[@]} -gt 40 ] || fail "only ${#probes[@]} probes"
	run "$BIN/trace" -U -a "${probes[@]}" --exec -- "$1"
	expect_status 0
	expect_no_line 'lost' "$tool_err"
	python3 "$ROOT/tests/targets/scripts/same_stacks.py" "$tool_out" || fail "see above"
}
