#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"
source "$(dirname "$0")/ustat.bash"

# A collection of Ruby ends with sweeps, which are inside the mark: it counts as one collection with
# the time of the mark (tests/measured/ustat-ruby checks that the time counts once). ugc, which runs
# at the same time, shows the same collections.
need_command jq
start_ruby_worker
run_tool ugc --json "$target_pid"
ugc_pid=$tool_pid ugc_out=$tool_out
run_tool ustat --json -p "$target_pid" -i 0.1
work collect
stop_tool INT
expect_status 0
expect_equal "$(sum "$target_pid" gcs)" 3
[ "$(sum "$target_pid" gc_ns)" -gt 0 ] || fail 'collections took no time'
tool_pid=$ugc_pid
stop_tool INT
expect_status 0
expect_equal "$(jq 'select(.collection == "total") | .count' "$ugc_out")" 3
