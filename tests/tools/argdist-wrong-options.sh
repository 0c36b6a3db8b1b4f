#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/argdist.bash"

# Wrong options: one line, status 2, and nothing is traced.
# privileges: none
values=$TARGETS/values
refused() { # MESSAGE OPTION…
	local message=$1
	shift
	run timeout 5 "$BIN/argdist" "$@"
	expect_status 2
	expect_equal "$(cat "$tool_out")" ''
	expect_equal "$* $(wc -l <"$tool_err")" "$* 1"
	expect_line "^argdist: .*$message" "$tool_err"
}
count=(-C "p:$values:sum()")
refused 'at least one specifier is required'
refused '--help' --no-such-option
refused '-z 0 would show nothing' "${count[@]}" -z 0
refused '--keys 0' "${count[@]}" --keys 0
refused '-T 0' "${count[@]}" -T 0
refused '-i takes' "${count[@]}" -i 0
refused '-d takes' "${count[@]}" -d 0
refused '-n 0' "${count[@]}" -n 0
refused '-F' "${count[@]}" -F
