#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/language.bash"

# What is wrong, and the way out.
refused() { # STATUS REGEX ARG…
	run "$BIN/uobjnew" "${@:3}"
	expect_status "$1"
	expect_line "$2" "$tool_err"
}
refused 2 'which process\? Give its PID' -l c
refused 2 'there is no language cobol: -l takes java, .*, tcl, c$' -l cobol $$
refused 2 '-C 0 and -S 0 would show nothing' -S 0 $$
refused 2 '--keys 0 has no place' --keys 0 $$
start_python_worker
refused 1 'CPython has no probe for allocations \(-l c counts the blocks that it takes from malloc\)$' -l python "$target_pid"
