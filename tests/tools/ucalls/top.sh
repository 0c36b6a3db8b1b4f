#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# The N rows with the most calls, and at most --keys methods: calls of further ones are reported as
# lost.
start_ruby_worker traced
run_tool ucalls -T 1 -p "$target_pid"
work calls throw
stop_tool INT
expect_status 0
expect_equal "$(calls_of '\.')" 'Octi.leaf 500'

run_tool ucalls --keys 1 "$target_pid"
work calls throw
stop_tool INT
expect_status 0
expect_line '^ucalls: 20 calls are not counted: no room for more methods \(increase --keys\)$' "$tool_err"
