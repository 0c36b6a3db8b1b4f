#!/bin/bash
# alone: nearly all samples have to be complete
source "$(dirname "$0")/../../lib.sh"

# Samples of a Go program show the caller of a function without a stack frame, at whatever
# instruction the function is.
source "$(dirname "$0")/../go.bash"
build_go "$T/frames" frames.go -gcflags=-l
start_target "$T/frames" 20000
run_tool profile -F 499 -U -f -p "$target_pid"
cpu_ms() { awk '{ print ($14 + $15) * 10 }' "/proc/$target_pid/stat"; }
wait_for '[ "$(cpu_ms)" -ge 2000 ]' 60
stop_tool INT
expect_status 0
expect_line '^frames;runtime\.goexit[a-z0-9.]*;runtime\.main;main\.main;main\.hot;main\.leaf [0-9]+$' "$tool_out"
# Go's runtime may interrupt the function by a signal, and make it call the runtime.
others=$(grep 'main\.leaf' "$tool_out" | grep -vE ';main\.main;main\.hot;main\.leaf( |;.*runtime\.(sigtramp|asyncPreempt))' || true)
expect_equal "$others" ''
stop_target KILL
