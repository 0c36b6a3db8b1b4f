#!/bin/bash
# Statistical: two tools at the same probes see the same time in collections, within a tenth.
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/../tools/language.bash"
source "$(dirname "$0")/../tools/ustat/ustat.bash"

# Ruby's collections end with sweeps within the mark: the mark's time counts once. ugc shows the same ones at the same time.
need_command jq
start_ruby_worker
run_tool ugc --json "$target_pid"
ugc_pid=$tool_pid ugc_out=$tool_out
run_tool ustat --json -p "$target_pid" -i 0.1
work collect
stop_tool INT
expect_status 0
paused_us=$(($(sum "$target_pid" gc_ns) / 1000))
tool_pid=$ugc_pid
stop_tool INT
expect_status 0
total_us=$(jq 'select(.collection == "total") | .total_ns / 1000 | floor' "$ugc_out")
[ "$paused_us" -gt $((total_us * 9 / 10)) ] && [ "$paused_us" -lt $((total_us * 11 / 10)) ] ||
	fail "$paused_us us are not about $total_us us"
