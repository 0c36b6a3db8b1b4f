#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# One Ctrl-C may arrive more than once, passed on by a wrapper: the tool still ends normally.
run_tool trace "$TARGETS/values:sum"
kill -INT "$tool_pid"
kill -TERM "$tool_pid" 2>/dev/null || true
kill -INT "$tool_pid" 2>/dev/null || true
stop_tool
expect_status 0
