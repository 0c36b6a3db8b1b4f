#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# The stages of Ruby's collections: each GC.start marks once, and sweeps in one or more steps.
start_ruby_worker
run_tool ugc -m "$target_pid"
work collect
wait_for "[ \$(grep -c 'GC mark stage' '$tool_out') = 3 ]" 20
stop_tool TERM
expect_status 0
expect_line '^TIME +LATENCY DESCRIPTION$' "$tool_out"
expect_line ' [0-9]+\.[0-9]{2}ms GC sweep stage$' "$tool_out"
expect_line '^mark +3 ' "$tool_out"
# They are part of the mark that they complete.
expect_line '^total +3 ' "$tool_out"
