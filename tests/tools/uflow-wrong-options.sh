#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# Wrong options: one line, status 2, and nothing is traced.
# privileges: none
refused() { # MESSAGE OPTION…
	local message=$1
	shift
	run timeout 5 "$BIN/uflow" "$@"
	expect_status 2
	expect_equal "$(cat "$tool_out")" ''
	expect_equal "$* $(wc -l <"$tool_err")" "$* 1"
	expect_line "^uflow: .*$message" "$tool_err"
}
refused 'takes 0.001 to 4000000 seconds' -d 0 $$
refused 'which process'
refused '"x" is not a process' x
refused 'no language cobol' -l cobol $$
refused 'depth 0' --depth 0 $$
refused 'give one' --json --folded $$
refused 'give one' --folded --perfetto x $$
refused 'buffer' --buffer 0 $$
refused 'buffer' --buffer 2G $$

free=$(($(cat /proc/sys/kernel/pid_max) - 1))
[ ! -e "/proc/$free" ] || skip "there is a process $free"
run timeout 5 "$BIN/uflow" "$free"
expect_status 1
expect_line "^uflow: there is no process $free\$" "$tool_err"
