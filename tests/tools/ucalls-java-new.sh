#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/language.bash"

# From JDK 21 on the one flag for all probes ends the JVM: another is named.
jdk=$(printf '%s\n' /usr/lib/jvm/*-2[1-9]-* | tail -n 1)
[ -x "$jdk/bin/java" ] || skip 'no JDK 21 or later is installed'
need_command javac
javac -d "$T" "$scripts/Work.java"
start_worker "$jdk/bin/java" -cp "$T" Work
run "$BIN/ucalls" "$target_pid"
expect_status 1
expect_line "\(java 2[0-9]\.[0-9.]+\) was started without -XX:\+DTraceMethodProbes" "$tool_err"
expect_line 'JDK 21 and later do not start with -XX:\+ExtendedDTraceProbes' "$tool_err"
exec 7>&-
stop_target KILL

start_worker "$jdk/bin/java" -XX:+DTraceMethodProbes -cp "$T" Work
run_tool ucalls "$target_pid"
work calls
stop_tool INT
expect_status 0
expect_equal "$(calls_of '^Work\.')" 'Work.leaf 500'
