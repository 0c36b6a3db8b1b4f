#!/bin/bash
# shares: trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# -M takes a method with its class, with or without the class's package or file, in every language.
shown() { # -M TEXT, WORDS, WANTED; WANTED: "METHOD CALLS" lines
	run_tool uflow --json -M "$1" "$target_pid"
	work "$2"
	stop_tool INT
	expect_status 0
	expect_equal "$1: $(grep '"entry"' "$tool_out" | grep -o '"method":"[^"]*"' | sort | uniq -c | awk '{ print $2, $1 }' |
		sed 's,.*[/"]\([^/"]*\)" ,\1 ,')" "$1: $3"
}
start_java_worker -XX:+DTraceMethodProbes
shown Work.leaf calls 'Work.leaf 500'
shown Work.le calls 'Work.leaf 500'
shown 'Work#leaf' calls 'Work.leaf 500'
shown java.lang.System.gc collect 'System.gc 3'
shown System.gc collect 'System.gc 3'
shown Other.leaf calls ''
shown Wor.leaf calls ''
exec 7>&-
stop_target KILL

debian_root trixie python3.13
start_worker_there work.py python3.13
shown Octi.leaf calls 'work.py.Octi.leaf 500'
shown work.py.Octi.le calls 'work.py.Octi.leaf 500'
shown Other.leaf calls ''
