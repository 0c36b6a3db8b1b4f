#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# A terminal that understands no escapes is sent none, whatever else the environment says of it.
need_command script
on_terminal() { # TERM COMMAND…
	TERM=$1 COLORTERM=truecolor script -qec "$(printf '%q ' "${@:2}")" /dev/null >"$T/out"
}
heatmap=("$BIN/argdist" --heatmap -i 0.1 -n 1 -H "p:$TARGETS/calls:plain(int n):int:n" --exec -- "$TARGETS/calls" 1 plain:30)
on_terminal xterm "${heatmap[@]}"
expect_line $'\x1b' "$T/out"
on_terminal dumb "${heatmap[@]}"
expect_no_line $'\x1b' "$T/out"

start_target "$TARGETS/runtime"
on_terminal xterm timeout 20 "$BIN/ustat" 0.1 1
expect_line $'\x1b' "$T/out"
on_terminal dumb timeout 20 "$BIN/ustat" 0.1 1
expect_no_line $'\x1b' "$T/out"
