#!/bin/bash
# timeout: 200
# shares: ustat
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"
work_limit=150

# 40,000 threads are started, and each ends inside a call: each call is shown at its own depth, and
# the kernel side's map of threads does not grow.
cp "$TARGETS/churn" "$T/perl5.36"
start_worker "$T/perl5.36" perl
run_tool uflow --json --buffer 64M -M leaf "$target_pid"
work 'threads 1000'
before=$(kernel_bytes)
work 'threads 39000' 'calls 100'
expect_flat "$before"
stop_tool INT
expect_status 0
expect_count 40000 '"event":"entry".*"depth":2,' "$tool_out"
expect_count 100 '"event":"entry".*"depth":3,' "$tool_out"
expect_count 0 '"type":"lost"' "$tool_out"
