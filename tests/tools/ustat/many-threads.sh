#!/bin/bash
# timeout: 200
# shares: ustat
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"
work_limit=150

# 40,000 threads come and go, and each ends in the middle of a garbage collection. ustat counts
# every collection, and the memory of its kernel side does not grow.
cp "$TARGETS/churn" "$T/node"
start_worker "$T/node" node
run_tool ustat --json -p "$target_pid" 1000
work 'threads 1000'
before=$(kernel_bytes)
work 'threads 39000' 'calls 100'
expect_flat "$before"
stop_tool INT
expect_status 0
expect_count 0 '"lost"' "$tool_out"
expect_line '"gcs":40100,.*"gc_ns":[1-9]' "$tool_out"
