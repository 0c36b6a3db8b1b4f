#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# A JVM started with method probes: every call, also those that an exception leaves.
start_java_worker -XX:+DTraceMethodProbes
run_tool ucalls -L "$target_pid"
work calls throw
stop_tool INT
expect_status 0
expect_line "^Tracing calls in process $target_pid \(language: java\)" "$tool_announced"
expect_line '^METHOD +# CALLS +TOTAL$' "$tool_out"
expect_equal "$(calls_of '^Work\.')" "$(printf '%s\n' 'Work.catches 20' 'Work.fails 20' 'Work.leaf 500')"
