#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# Processes without a garbage collector, and with several runtimes.
refused() { # REGEX
	run "$BIN/ugc" "$target_pid"
	expect_status 1
	expect_line "$1" "$tool_err"
}
start_stand_in perl5.36
refused '\(perl 5\.36\): Perl has probes for subs and loaded files only$'

# A program that contains several runtimes.
start_worker "$TARGETS/runtime"
refused 'has the runtimes of several languages \(node, perl, tcl\): choose one with -l$'
