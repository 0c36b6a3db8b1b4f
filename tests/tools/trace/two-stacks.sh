#!/bin/bash
# alone: the tool has to read the stack of a program that ends at once in time
source "$(dirname "$0")/../../lib.sh"

# The frames of a thread may be on two stacks: the first event already shows all of them, also if a
# stack ends just before unreadable memory.
for _ in {1..4}; do
	run "$BIN/trace" -U "$TARGETS/two_stacks:leaf" --exec -- "$TARGETS/two_stacks"
	expect_status 0
	expect_no_line 'cut: (unreadable|copied)' "$tool_out" # glibc's start of a context has no table
	expect_equal "$(awk '/two_stacks\]$/ { sub(/\+.*/, ""); printf "%s ", $1 }' "$tool_out")" 'leaf call_on works begins '
done
