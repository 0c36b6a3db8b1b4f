#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/language.bash"

# What is wrong, and the way out.
refused() { # STATUS REGEX ARG…
	run "$BIN/ugc" "${@:3}"
	expect_status "$1"
	expect_line "$2" "$tool_err"
}
refused 2 'which process\? Give its PID' -m
refused 2 'takes 0.001 to 4000000 seconds' -d 0 $$
refused 1 'process [0-9]+ \(bash\) runs none of these languages' $$
start_stand_in perl5.36
refused 1 '\(perl 5\.36\): Perl has probes for subs and loaded files only$' "$target_pid"

# A program with several runtimes in it.
start_worker "$TARGETS/runtime"
refused 1 'has the runtimes of several languages \(node, perl, tcl\): choose one by -l$' "$target_pid"
