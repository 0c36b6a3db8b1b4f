#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# If not all returns of a Go function can be found, the error gives the reason.
need_command objcopy
source "$(dirname "$0")/../go.bash"
program=$T/returns
build_go "$program" returns.go
refuses() { # PROBE REGEX
	run "$BIN/trace" --dry-run "$1"
	expect_status 1
	expect_line "^trace: $2" "$tool_err"
	expect_equal "$(wc -l <"$tool_err")" 1
	expect_equal "$(cat "$tool_out")" ''
}
refuses "r:$program:main.(*Wrapper).Do" "$program: the returns of main\.\(\*Wrapper\)\.Do cannot be traced: it leaves by a jump to another function"
refuses "r:$program:runtime.gogo.abi0" "$program: .*called by assembly"
refuses "r:$program:runtime.goPanicIndex" "$program: .*goPanicIndex cannot be traced: it has no return instruction"
refuses "r:$program:_rt0_amd64_linux" "$program: _rt0_amd64_linux is not a Go function"

# With several functions, those are skipped and counted.
run "$BIN/trace" --dry-run "r:$program:main.*"
expect_status 0
expect_line '^trace: [0-9]+ of [0-9]+ functions cannot be probed: .*have returns that cannot be found' "$tool_err"
expect_no_line '\*Wrapper' "$tool_out"

# The calling convention depends on the Go version that built the program.
objcopy -O binary --only-section=.go.buildinfo "$program" "$T/info"
sed 's/go1\.[0-9]*/go1.14/' "$T/info" >"$T/old" && truncate -s "$(stat -c %s "$T/info")" "$T/old"
objcopy --update-section .go.buildinfo="$T/old" "$program" "$T/old-program"
refuses "r:$T/old-program:main.try" "$T/old-program was built by go1\.14.*needs Go 1\.15"
tr '\377' x <"$T/info" >"$T/damaged"
objcopy --update-section .go.buildinfo="$T/damaged" "$program" "$T/damaged-program"
refuses "r:$T/damaged-program:main.try" "$T/damaged-program is a Go program without its Go version"
