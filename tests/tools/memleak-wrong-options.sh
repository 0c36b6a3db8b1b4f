#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# Wrong usage: one line that says what, and status 2.
wrong() { # REGEX ARG…
	run "$BIN/memleak" "${@:2}"
	expect_status 2
	expect_line "$1" "$tool_err"
	expect_equal "$(wc -l <"$tool_err")" 1
}
wrong 'which process\? Give -p PID, --comm NAME, or a command'
wrong '--sort: "age" is neither size nor count' -p $$ --sort age
wrong '--top 0 would show nothing' -p $$ -T 0
wrong '-z is more than -Z' -p $$ -z 10 -Z 9
wrong '--folded, --json and --svg are forms of the same' -p $$ -f --json
wrong '-t writes lines' -p $$ -f -t
wrong '--svg: an empty value is given' -p $$ --svg ''
wrong '--symbols-prefix is about the file of -O' -p $$ --symbols-prefix je_
wrong '-s and --sample-bytes both choose the blocks' -p $$ -s 2 --sample-bytes 64K
wrong 'choose no block: give at least 1' -p $$ -s 0
wrong 'take less than 4294967296' -p $$ --sample-bytes 4G
wrong '3 is too much: INTERVAL and COUNT are taken' -p $$ 1 2 3

run "$BIN/memleak" -p $$ -O "$TARGETS/calls"
expect_status 1
run "$BIN/memleak" -p $$ -O c --symbols-prefix je_
expect_status 1
expect_line 'c has no function je_malloc: -O names the file that has it' "$tool_err"
