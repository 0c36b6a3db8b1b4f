#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# If not all returns of a Go function can be found, the error gives the reason.
need_command objcopy
source "$(dirname "$0")/../go.bash"
program=$T/returns
build_go "$program" returns.go
expect_refusal 1 "$program: the returns of main\.\(\*Wrapper\)\.Do cannot be traced: it leaves by a jump to another function" trace --dry-run "r:$program:main.(*Wrapper).Do"
expect_refusal 1 "$program: .*called by assembly" trace --dry-run "r:$program:runtime.gogo.abi0"
expect_refusal 1 "$program: .*goPanicIndex cannot be traced: it has no return instruction" trace --dry-run "r:$program:runtime.goPanicIndex"
expect_refusal 1 "$program: _rt0_amd64_linux is not a Go function" trace --dry-run "r:$program:_rt0_amd64_linux"

# With several functions, those are skipped and counted.
run "$BIN/trace" --dry-run "r:$program:main.*"
expect_status 0
expect_line '^trace: [0-9]+ of [0-9]+ functions cannot be probed: .*have returns that cannot be found' "$tool_err"
expect_no_line '\*Wrapper' "$tool_out"

# The calling convention depends on the Go version that built the program.
objcopy -O binary --only-section=.go.buildinfo "$program" "$T/info"
sed 's/go1\.[0-9]*/go1.14/' "$T/info" >"$T/old" && truncate -s "$(stat -c %s "$T/info")" "$T/old"
objcopy --update-section .go.buildinfo="$T/old" "$program" "$T/old-program"
expect_refusal 1 "$T/old-program was built by go1\.14.*needs Go 1\.15" trace --dry-run "r:$T/old-program:main.try"
tr '\377' x <"$T/info" >"$T/damaged"
objcopy --update-section .go.buildinfo="$T/damaged" "$program" "$T/damaged-program"
expect_refusal 1 "$T/damaged-program is a Go program without its Go version" trace --dry-run "r:$T/damaged-program:main.try"
