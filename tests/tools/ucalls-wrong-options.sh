#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# What is wrong, and the way out.
refused() { # STATUS REGEX ARG…
	run "$BIN/ucalls" "${@:3}"
	expect_status "$1"
	expect_line "$2" "$tool_err"
}
refused 2 'which process\? Give its PID, or --comm NAME$'
refused 2 '"x" is not a process or thread id' x
refused 2 'there is no language cobol: -l takes java, node, perl, php, python, ruby, tcl$' -l cobol $$
refused 2 '-l none: nothing to do; use -S to trace system calls$' -l none $$
refused 2 '3 is too much' 1 2 3
refused 2 '--top 0 would show nothing' -T 0 $$
refused 2 '--keys 0 has no place' --keys 0 $$
refused 1 'there is no process 999999999$' 999999999
refused 1 "process $$ \(bash\) runs none of these languages" $$
refused 1 "process $$ \(bash\) does not run Ruby$" -l ruby $$
