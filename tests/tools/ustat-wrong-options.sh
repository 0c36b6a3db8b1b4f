#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# Wrong options: one line, status 2, and nothing is traced.
# privileges: none
refused() { # MESSAGE OPTION…
	local message=$1
	shift
	run timeout 5 "$BIN/ustat" "$@"
	expect_status 2
	expect_equal "$(cat "$tool_out")" ''
	expect_equal "$* $(wc -l <"$tool_err")" "$* 1"
	expect_line "^ustat: .*$message" "$tool_err"
}
refused 'no language cobol' -l cobol
refused '-S takes method, gc' -S calls
refused '-r 0' -r 0
refused '"x" is not a number' x
refused '"x" is not a number' 1 x
refused '3 is too much' 1 2 3
refused 'an empty value' --cgroup-path ''
refused 'seconds' 0
refused '-n 0' 1 0
refused 'give one' --json --openmetrics x

# What is no file is not replaced by one.
mkfifo "$T/fifo"
run timeout 5 "$BIN/ustat" --openmetrics "$T/fifo"
expect_status 1
expect_line 'fifo is not a regular file' "$tool_err"
[ -p "$T/fifo" ] || fail 'the fifo was replaced'
