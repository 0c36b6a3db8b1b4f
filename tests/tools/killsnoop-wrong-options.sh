#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# Wrong options: one line, status 2, and nothing is traced.
# privileges: none
refused() { # MESSAGE OPTION…
	local message=$1
	shift
	run timeout 5 "$BIN/killsnoop" "$@"
	expect_status 2
	expect_equal "$(cat "$tool_out")" ''
	expect_equal "$* $(wc -l <"$tool_err")" "$* 1"
	expect_line "^killsnoop: .*$message" "$tool_err"
}
refused '--help' --no-such-option
refused '"FOO" is not a signal' -s FOO
refused '"65" is not a signal' -s KILL,65
refused '"" is not a signal' -s KILL,
refused '"RTMIN\+99"' -s RTMIN+99
refused '"0" is not a process' -T 0
refused '-M 0' -M 0
refused '-t and -u' -t -u
refused '-F' -F
refused '-p and -L' -p $$ -L $$

free=$(($(cat /proc/sys/kernel/pid_max) - 1))
[ ! -e "/proc/$free" ] || skip "there is a process $free"
# As BCC's does, it waits for such a process, but says so.
run_tool killsnoop -p "$free"
stop_tool INT
expect_status 0
expect_line "^killsnoop: there is no process $free; waiting for one\$" "$tool_err"
