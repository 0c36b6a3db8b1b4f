#!/bin/bash
# timeout: 400
# shares: ustat
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/tools/language.bash"

# Runs command lines from the examples of BCC's tools for languages; only names are adapted.
traced() { # TOOL ARG…
	run_tool "$@"
	stop_tool INT
	expect_status 0
}
start_java_worker -XX:+DTraceMethodProbes -XX:+DTraceAllocProbes
traced_pid=$target_pid
traced ucalls -L "$traced_pid"
traced ucalls -l none -ST 10 "$traced_pid"
traced ucalls -l java "$traced_pid"
traced ucalls -l java "$traced_pid" -S
traced uflow -C java/lang/Thread "$traced_pid"
traced uflow -l java "$traced_pid"
traced uflow -M indexOf -l java "$traced_pid"
traced ugc -F Tenured "$traced_pid"
traced ugc -M 1 "$traced_pid"
traced ugc -l java "$traced_pid"
traced ugc -M 10 -l java "$traced_pid"
traced uobjnew -l java "$traced_pid"
traced uobjnew -S 10 -l c "$traced_pid"
traced uobjnew -l c "$traced_pid" 1
traced uobjnew -C 5 -S 10 -l c "$traced_pid"
traced uthreads -l java "$traced_pid"
traced uthreads "$traced_pid"
traced uthreads -l none "$traced_pid"
expect_line 'language: c' "$tool_announced"
stop_target

start_ruby_worker
traced_pid=$target_pid
traced uflow -l ruby "$traced_pid"
traced ucalls -l ruby "$traced_pid" -T 10
traced ucalls -l ruby "$traced_pid" -L
traced ugc -l ruby "$traced_pid" -m
traced uobjnew -l ruby "$traced_pid"
traced uobjnew -l ruby "$traced_pid" -C 10
traced uobjnew -l ruby "$traced_pid" -S 10
stop_target

start_python_worker
traced_pid=$target_pid
traced ucalls -mT 5 "$traced_pid"
traced ucalls -l python "$traced_pid" 1
traced ucalls -l python "$traced_pid" -mL
traced uflow -C '<stdin>' -l python "$traced_pid"
traced ugc "$traced_pid"
stop_target

traced ustat
traced ustat -C 5 12
traced ustat -C
traced ustat -l java
traced ustat -d 5
traced ustat 5 10
