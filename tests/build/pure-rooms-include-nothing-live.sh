#!/bin/bash
# ring: first
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

make -s lint-layers

# The table of rooms in docs/ARCHITECTURE.md has them all, each on its floor.
live=$(sed -n 's/^live_rooms := //p' Makefile)
expect_equal "$(sed -nE 's/^\| `([a-z]+)` \| (pure|live) \|.*/\1 \2/p' docs/ARCHITECTURE.md)" "$(
	for room in common/*/; do
		room=$(basename "$room")
		[[ " $live " = *" $room "* ]] && echo "$room live" || echo "$room pure"
	done
)"
