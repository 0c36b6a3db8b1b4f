#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# Ruby reports methods only while a TracePoint is enabled; otherwise the tool says so. Tracing C
# methods crashes Ruby 3.1 in some programs, so it needs --unsafe.
start_ruby_worker traced
run_tool ucalls -L "$target_pid"
work calls throw
stop_tool INT
expect_status 0
expect_equal "$(calls_of .)" "$(printf '%s\n' 'METHOD #' 'Object.fails 20' 'Octi.leaf 500')"
expect_line 'methods written in C are left out, because .* uses alias$' "$tool_err"
expect_no_line TracePoint "$tool_err"
stop_target KILL

start_ruby_worker
run_tool ucalls --unsafe "$target_pid"
work calls
stop_tool INT
expect_status 0
expect_equal "$(calls_of '^Integer.times')" 'Integer.times 1'
expect_line 'only while the program has a TracePoint enabled' "$tool_err"
