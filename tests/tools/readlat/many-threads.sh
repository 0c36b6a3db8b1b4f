#!/bin/bash
# timeout: 200
# shares: reads
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"
work_limit=150

# 20,000 threads are started and end, each with a read and a signal: all reads are counted (also
# those of the first thread), and the kernel side's map of calls in progress does not grow.
start_worker "$TARGETS/churn" read kill
run_tool readlat --json -p "$target_pid" --by-call
readlat_pid=$tool_pid readlat_out=$tool_out
run_tool killsnoop --json -p "$target_pid"
work 'threads 1000'
before=$(kernel_bytes)
work 'threads 19000'
expect_flat "$before"
stop_tool INT
expect_status 0
expect_count 20000 '"sig":0,.*"call":"kill"' "$tool_out"
expect_count 0 '"lost"' "$tool_out"
tool_pid=$readlat_pid tool_out=$readlat_out
stop_tool INT
expect_status 0
expect_line '"call":"read",.*"count":2000[12],' "$tool_out"
expect_count 0 '"lost"' "$tool_out"
