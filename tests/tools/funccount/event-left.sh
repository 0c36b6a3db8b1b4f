#!/bin/bash
# alone: it kills a tool, and any tool that starts next would remove the leftover probes
source "$(dirname "$0")/../../lib.sh"

# A tracefs event disappears with its tool; the next tool removes the events of a killed tool.
target=$TARGETS/calls
mkdir "$T/tracefs"
mount -t tracefs tracefs "$T/tracefs" 2>/dev/null || skip 'tracefs cannot be mounted'
at_exit "umount $T/tracefs"
ours() { grep -c "uscope/t${1}_" "$T/tracefs/uprobe_events" || true; }

run_tool funccount --force-path tracefs "$target:plain" "$target:slow"
expect_equal "$(ours "$tool_pid")" 2
stop_tool INT
expect_status 0
expect_equal "$(ours "$tool_pid")" 0

run_tool funccount --force-path tracefs "$target:plain" "$target:slow"
killed=$tool_pid
kill -KILL "$killed"
wait_for "! alive $killed" 10
expect_equal "$(ours "$killed")" 2
run_tool funccount --force-path tracefs "$target:plain" "$target:slow"
expect_equal "$(ours "$killed")" 0
expect_equal "$(ours "$tool_pid")" 2
"$target" 1 plain:5
stop_tool INT
expect_line '^plain +5$' "$tool_out"

# The next tool does so even if it creates no event itself.
run_tool funccount --force-path tracefs "$target:plain" "$target:slow"
killed=$tool_pid
kill -KILL "$killed"
wait_for "! alive $killed" 10
run "$BIN/tplist" -l "$target"
expect_equal "$(ours "$killed")" 0
