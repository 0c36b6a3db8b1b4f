#!/bin/bash
# alone: the tool has to keep up: almost no stack may be cut
source "$(dirname "$0")/../../lib.sh"
# Compares every stack of a C++ program without frame pointers with what the program itself finds by
# backtrace(): recursion, large, variable and realigned frames, callbacks of the C library, virtual
# functions, exceptions and the destructors they run, signals, threads.
run_tool stackcount -v "$TARGETS/own-stack:here"
"$TARGETS/own-stack" 3000 >"$T/own"
stop_tool INT
expect_status 0
# Prints a line per stack: count, addresses from the caller on, and "cut" if it is not complete.
awk '/^  [0-9a-f]/ { if (leaf) line = line " " $1; leaf = 1 }
	/^  \[cut/ { line = line " cut" }
	/^    / { print $1 line; line = ""; leaf = 0 }' "$tool_out" >"$T/counted"
events=$(awk '{ sum += $1 } END { print sum }' "$T/own")
[ "$events" -gt 50000 ] || fail 'too few events'
expect_equal "$(awk '{ sum += $1 } END { print sum }' "$T/counted")" "$events"

# On a busy machine, some of the first copies are too short for a frame of 12,000 bytes, and their
# stacks are cut.
awk -v events="$events" '
	{ count = $1; sub(/^[0-9]+/, "") }
	NR == FNR { own[$0] = count; next }
	/cut$/ { cut += count; next }
	!($0 in own) { print "not a stack of the program:" $0; failed = 1 }
	{ missing += own[$0] - count; delete own[$0] }
	END {
		for (stack in own)
			missing += own[stack]
		if (missing != cut) { print missing " of the program missing, " cut " cut"; failed = 1 }
		if (cut > events / 500) { print cut " of " events " cut"; failed = 1 }
		exit failed
	}' "$T/own" "$T/counted" || fail 'stacks differ from those of the program'
