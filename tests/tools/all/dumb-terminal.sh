#!/bin/bash
# shares: ustat
source "$(dirname "$0")/../../lib.sh"

# The tools send no escape sequences to a terminal that does not understand them (TERM=dumb),
# whatever other environment variables say.
need_command script
on_terminal() { # TERM COMMAND…
	TERM=$1 COLORTERM=truecolor script -qec "$(printf '%q ' "${@:2}")" /dev/null >"$T/out"
}
start_target "$TARGETS/calls" 1 slow:1000000
heatmap=(timeout 60 "$BIN/argdist" --heatmap -i 0.2 -n 3 -p "$target_pid" -H "r:$TARGETS/calls:slow(int n):u64:\$latency")
on_terminal xterm "${heatmap[@]}"
expect_line $'\x1b' "$T/out"
on_terminal dumb "${heatmap[@]}"
expect_line '[0-9]{2}:[0-9]{2}:[0-9]{2}' "$T/out"
expect_no_line $'\x1b' "$T/out"

on_terminal xterm timeout --foreground 60 "$BIN/ustat" 0.1 1
expect_line $'\x1b' "$T/out"
on_terminal dumb timeout --foreground 60 "$BIN/ustat" 0.1 1
expect_line '^PID' "$T/out"
expect_no_line $'\x1b' "$T/out"
