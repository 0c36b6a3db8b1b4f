#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# At a return instruction the function's frame is already gone; the stack has its caller
# nevertheless.
source "$(dirname "$0")/../go.bash"
program=$T/returns
build_go "$program" returns.go
run_tool stackcount -f "r:$program:main.nap"
"$program" >/dev/null || true
stop_tool INT
expect_status 0
expect_line ';main\.main;main\.choose;main\.nap 3$' "$tool_out"
expect_line ';main\.main;main\.nap 1$' "$tool_out"
