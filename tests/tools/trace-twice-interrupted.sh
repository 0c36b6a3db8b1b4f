#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# One Ctrl-C may come more than once, passed on by a wrapper: the end is the orderly one all the same.
run_tool trace "$TARGETS/values:sum"
kill -INT "$tool_pid"
kill -TERM "$tool_pid" 2>/dev/null || true
kill -INT "$tool_pid" 2>/dev/null || true
stop_tool
expect_status 0
