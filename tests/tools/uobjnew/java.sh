#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# Objects by class; JDK 17 does not report their sizes, newer ones do.
start_java_worker -XX:+DTraceAllocProbes
run_tool uobjnew --json "$target_pid"
work objects
stop_tool INT
expect_status 0
expect_line '"type":"Work\$Octi","count":700(,"bytes":[0-9]+)?}$' "$tool_out"
! is_java_17 || expect_line 'before JDK 21 the JVM does not report the size of most objects: bytes are left out$' "$tool_err"
stop_target KILL

start_java_worker -Xshare:auto
run "$BIN/uobjnew" "$target_pid"
expect_status 1
expect_line 'does not report allocations: restart it with -XX:\+DTraceAllocProbes.* \(-l c counts' "$tool_err"
