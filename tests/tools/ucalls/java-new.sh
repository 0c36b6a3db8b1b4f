#!/bin/bash
# shares: trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# From JDK 21 on, the single flag for all probes ends the JVM: the tool names another flag. Counts
# are exact with 21 and 25.
start_new_java_worker 21
run "$BIN/ucalls" "$target_pid"
expect_status 1
expect_line "\(java 21\.[0-9.]+\) does not report methods: restart it with -XX:\+DTraceMethodProbes" "$tool_err"
expect_line 'JDK 21 and later do not start with -XX:\+ExtendedDTraceProbes' "$tool_err"
exec 7>&-
stop_target KILL

counts() { # JDK
	start_new_java_worker "$1" -XX:+DTraceMethodProbes
	run_tool ucalls "$target_pid"
	work calls recurse throw
	stop_tool INT
	expect_status 0
	expect_equal "$(calls_of '^Work\.(leaf|deep|fails)')" "$(printf '%s\n' 'Work.deep 30' 'Work.fails 20' 'Work.leaf 500')"
	exec 7>&-
	stop_target KILL
}
counts 21
counts 25
