#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# The tool reads from the process whether the JVM was started with the flag, wherever it was set.
start_java_worker -Xshare:auto
run "$BIN/ucalls" "$target_pid"
expect_status 1
expect_line "process $target_pid \(java [0-9.]+\) does not report methods: restart it with -XX:\+DTraceMethodProbes" "$tool_err"
flag=DTraceMethodProbes
if grep -q 'java 17\.' "$tool_err"; then # newer JVMs do not start with the other flag
	expect_line 'restart it with -XX:\+DTraceMethodProbes or -XX:\+ExtendedDTraceProbes$' "$tool_err"
	flag=ExtendedDTraceProbes
fi

export JAVA_TOOL_OPTIONS=-XX:+$flag
start_java_worker -Xshare:auto
run_tool ucalls -l java "$target_pid"
work calls
stop_tool TERM
expect_status 0
expect_equal "$(calls_of '^Work\.leaf')" 'Work.leaf 500'
