#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/language.bash"

# JDKs from 21 on tell how large objects are: 16 bytes of an empty one.
jdk=$(printf '%s\n' /usr/lib/jvm/*-2[1-9]-* | tail -n 1)
[ -x "$jdk/bin/java" ] || skip 'no JDK 21 or later is installed'
need_command javac
javac -d "$T" "$scripts/Work.java"
start_worker "$jdk/bin/java" -XX:+DTraceAllocProbes -cp "$T" Work
run_tool uobjnew --json "$target_pid"
work objects
stop_tool INT
expect_status 0
expect_line '"type":"Work\$Octi","count":700,"bytes":11200}$' "$tool_out"
