#!/bin/bash
# timeout: 200
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"
work_limit=150

# 40,000 processes come and go, each of which ends in the middle of a call. Afterwards, calls that
# return are still measured with every return method, and no losses are reported.
start_worker "$TARGETS/churn" stay
run_tool funclatency --json "$TARGETS/churn:stay"
exits_pid=$tool_pid exits_out=$tool_out
run_tool funclatency --json --force-path tracefs --force-return probe "$TARGETS/churn:stay"
work 'processes 1000'
before=$(kernel_bytes)
work 'processes 39000' 'calls 100'
expect_flat "$before"
for _ in probe exits; do
	stop_tool INT
	expect_status 0
	expect_line '"count":100,' "$tool_out"
	expect_count 0 '"type":"lost"' "$tool_out"
	tool_pid=$exits_pid tool_out=$exits_out
done
