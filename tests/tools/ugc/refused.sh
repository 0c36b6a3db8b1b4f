#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# Processes without a garbage collector, and with several runtimes.
start_stand_in perl5.36
expect_refusal 1 '.*\(perl 5\.36\): Perl has probes for subs and loaded files only$' ugc "$target_pid"

# A program that contains several runtimes.
start_worker "$TARGETS/runtime"
expect_refusal 1 '.*has the runtimes of several languages \(node, perl, tcl\): choose one with -l$' ugc "$target_pid"
