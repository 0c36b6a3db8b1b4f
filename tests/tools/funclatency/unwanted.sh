#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Calls that are too deep for -l are not remembered, so none can be lost, however many there are.
run_tool funclatency -l 1 --json "$TARGETS/calls:recursive"
latency_out=$tool_out
steps=()
for _ in {1..40000}; do steps+=(recursive:2); done
run "$TARGETS/calls" 1 "${steps[@]}"
expect_status 0
tool_out=$latency_out
stop_tool INT
expect_line '"count":40000,' "$tool_out"
expect_count 0 '"type":"lost"' "$tool_out"
