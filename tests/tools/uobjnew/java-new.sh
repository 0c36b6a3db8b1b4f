#!/bin/bash
# shares: trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# JDKs from 21 on report the size of objects: 16 bytes for an empty one.
start_new_java_worker 25 -XX:+DTraceAllocProbes
run_tool uobjnew --json "$target_pid"
work objects
stop_tool INT
expect_status 0
expect_line '"type":"Work\$Octi","count":700,"bytes":11200}$' "$tool_out"
