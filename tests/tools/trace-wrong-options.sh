#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# Wrong options and options that contradict each other: one line, status 2, and nothing is traced.
# privileges: none
refused() { # MESSAGE OPTION…
	local message=$1
	shift
	run timeout 5 "$BIN/trace" "$@"
	expect_status 2
	expect_equal "$(cat "$tool_out")" ''
	expect_equal "$* $(wc -l <"$tool_err")" "$* 1"
	expect_line "^trace: .*$message" "$tool_err"
}
sum=$TARGETS/values:sum
refused '--help' --no-such-option "$sum"
refused 'PROBE'
refused 'PROBE' -K
refused 'BYTES' "$sum" -Z
refused '"0" is not a number from 1 to 65536' -Z 0 "$sum"
refused '"-1" is not a number from 1 to 65536' -Z -1 "$sum"
refused '"65537" is not a number from 1 to 65536' -Z 65537 "$sum"
refused 'abc' -p abc "$sum"
refused '"0"' -p 0 "$sum"
refused '"-1"' --uid -1 "$sum"
refused 'not a number' -M x "$sum"
refused '0' -M 0 "$sum"
refused "takes 0.001 to 4000000 seconds" -d 0 "$sum"
refused '"-1"' -d -1 "$sum"
refused 'nan' -d nan "$sum"
refused 'size' --buffer 4Q "$sum"
refused 'buffer' --buffer 0 "$sum"
refused 'buffer' -b 0 "$sum"
refused 'unclosed' -c "'unclosed" "$sum"
refused 'empty' -c '' "$sum"
refused 'empty' -c "'' x" "$sum"
refused 'empty' --exec "$sum" -- ''
refused '-p and -L' -p $$ -L $$ "$sum"
refused '-t' -u "$sum"
refused '-M' -A "$sum"
refused '-A.*--json|--json.*-A' -A -M 3 --json "$sum"
refused '-F' -F "$sum"
refused 'command' --exec "$sum"
refused '--exec' "$sum" -- true
refused '-c' -c true --exec "$sum" -- true

# What is not there: status 1.
missing() { # MESSAGE OPTION…
	local message=$1
	shift
	run timeout 5 "$BIN/trace" "$@"
	expect_status 1
	expect_equal "$(wc -l <"$tool_err")" 1
	expect_line "^trace: .*$message" "$tool_err"
}
free=$(($(cat /proc/sys/kernel/pid_max) - 1))
[ ! -e "/proc/$free" ] || skip "there is a process $free"
missing "process $free" -p "$free" "$sum"
missing "thread $free" -L "$free" "$sum"
missing 'nothing/here' -c "$T/nothing/here" "$sum"
