#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# USDT probes of a JVM: strings are a pointer and a length, without a terminator.
need_command java javac
javac -d "$T" "$ROOT/tests/targets/scripts/Greeter.java"
jvm=$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")/lib/server/libjvm.so
mkfifo "$T/lines"
exec 7<>"$T/lines"
stdin=$T/lines start_java -cp "$T" Greeter

run_tool trace -p "$java_pid" "u:$jvm:class__loaded \"%s\" str(arg1, arg2)" \
	"u:$jvm:thread__start \"%s\" str(arg1, arg2)"
echo octi-thread >&7
wait_for "grep -q octi-thread '$tool_out'" 20
stop_tool INT
expect_status 0
expect_line 'class__loaded +Greeter\$Octi$' "$tool_out"
expect_line 'thread__start +octi-thread$' "$tool_out"

# As often typed, without the length: up to a terminator somewhere after the name.
run_tool trace -p "$java_pid" "u:$jvm:thread__start \"%s\", arg1"
echo second-thread >&7
wait_for "grep -q second-thread '$tool_out'" 20
stop_tool INT
expect_status 0
