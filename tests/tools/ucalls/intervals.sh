#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# PID INTERVAL, as in BCC: what was added since the last interval.
start_ruby_worker traced
run_tool ucalls "$target_pid" 0.3
work calls
wait_for "grep -q 'Octi.leaf' '$tool_out'" 20
work recurse
wait_for "grep -q 'Object.deep' '$tool_out'" 20
work calls
stop_tool INT
expect_status 0
expect_equal "$(awk '$1 == "Octi.leaf" { n += $2 } END { print n }' "$tool_out")" 1000
expect_equal "$(awk '$1 == "Object.deep" { n += $2 } END { print n }' "$tool_out")" 30
expect_line '^\[[0-9:]{8}\]$' "$tool_out"
