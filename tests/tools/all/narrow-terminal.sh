#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# On a terminal of 40 columns, as on a phone, histograms and tables fit.
need_command script
terminal() { # COMMAND…
	NO_COLOR=1 script -qec "stty cols 40; $(printf '%q ' "$@")" /dev/null | tr -d '\r' >"$T/out"
}
fits() {
	expect_no_line '^.{41}' "$T/out"
	expect_no_line $'\x1b' "$T/out"
}
start_target "$TARGETS/calls" 1 slow:1000000
terminal timeout 60 "$BIN/funclatency" -u -i 0.2 -d 0.2 --percentiles -p "$target_pid" "$TARGETS/calls:slow"
sed -i '/^Tracing/d; /^funclatency: /d' "$T/out"
expect_line '^ *2048 -> 4095 +: [0-9]+ +\|[* ]+\|$' "$T/out"
expect_line '^p50 [0-9]+us' "$T/out"
fits
terminal "$BIN/trace" "$TARGETS/calls:plain \"%d\", arg1" --exec -- "$TARGETS/calls" 1 plain:3
expect_count 3 '^[0-9]+ +[0-9]+ +calls +plain +[0-9]+$' "$T/out"
# The heading is right above the rows.
expect_equal "$(sed -n '/^PID /{n; s/^[0-9].*/row/; p}' "$T/out")" row
fits
