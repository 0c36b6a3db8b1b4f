#!/bin/bash
# shares: packages
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/language.bash"

# CPython 3.13 and 3.14, which have no probes of functions, and 3.15, whose probe tells of generators that are made, too:
# calls are counted all the same, exactly.
counts() { # SUITE PACKAGE
	debian_root "$1" "$2"
	start_worker_there work.py "$2"
	run_tool ucalls "$target_pid"
	count_python_calls
	expect_line "\\(python ${2#python}\.[0-9]+\\): [a-z ,]+: they are counted where" "$tool_err"
	time_python_calls work.py.Octi.leaf work.py.deep
	stop_target KILL
}
counts trixie python3.13
counts sid python3.14
counts sid python3.15
