#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Java methods below a function of the JVM, from the perf map that jcmd makes the JVM write.
need_command java javac jcmd
javac -d "$T" "$ROOT/tests/targets/scripts/Sleeper.java"
jvm=$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")/lib/server/libjvm.so
# The JVM compiles each method before its first call, with frame pointers: the perf map has no names
# of interpreted methods.
start_java -XX:+PreserveFramePointer -XX:TieredStopAtLevel=1 -Xcomp -XX:CompileCommand=quiet \
	-XX:CompileCommand=dontinline,Sleeper::nap -cp "$T" Sleeper
jcmd "$java_pid" Compiler.perfmap >/dev/null || skip 'this JVM cannot write a perf map'
at_exit "rm -f /tmp/perf-$java_pid.map"
run_tool stackcount -p "$java_pid" -f -i 0.1 "$jvm:JVM_Sleep"
wait_for "[ -s '$tool_out' ]" 30
stop_tool INT
expect_status 0
expect_line '^java;[^;]*;.*Sleeper.main[^;]*;[^;]*Sleeper.nap[^;]*;([^;]*;)+JVM_Sleep [0-9]+$' "$tool_out"
expect_no_line '\[cut\]' "$tool_out"
