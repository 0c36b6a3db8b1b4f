#!/bin/bash
# shares: sid trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# CPython 3.13 and 3.14, which have no probes of functions, and 3.15, whose probe also fires when a
# generator is created: calls are counted exactly nevertheless.
counts() { # SUITE PACKAGE
	debian_root "$1" "$2"
	start_worker_there work.py "$2"
	run_tool ucalls "$target_pid"
	count_python_calls
	expect_line "\\(python ${2#python}\.[0-9]+\\): [a-z ,]+; tracing the interpreter instead" "$tool_err"
	time_python_calls work.py.Octi.leaf work.py.deep
	stop_target KILL
}
counts trixie python3.13
counts sid python3.14
counts sid python3.15
