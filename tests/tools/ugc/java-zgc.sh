#!/bin/bash
# shares: trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# A concurrent collector: the JVM reports each pause as a collection, and the tool says so. For
# other collectors it does not.
start_new_java_worker 25 -XX:+UseZGC -Xmx64M
run_tool ugc "$target_pid"
work collect
stop_tool INT
expect_status 0
expect_line "^ugc: process $target_pid \\(java 25.*\\): with -XX:\\+UseZGC a collection has several pauses" "$tool_err"
expect_no_line 'Shenandoah' "$tool_err"
