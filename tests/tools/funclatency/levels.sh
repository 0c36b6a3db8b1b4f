#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# -l measures only the outermost calls of each thread.
target=$TARGETS/calls
count() { grep '^avg = ' "$tool_out" | tail -n 1 | sed 's/.*count: //'; }
levels() { # COUNT LEVEL STEP…
	local wanted=$1 level=$2
	shift 2
	run_tool funclatency -l "$level" "$target:recursive" "$target:plain" "$target:jumped" "$target:deep_plain"
	"$target" 3 "$@"
	stop_tool INT
	expect_status 0
	expect_equal "$level $* $(count)" "$level $* $wanted"
}
levels 3 1 recursive:20
levels 6 2 recursive:20
levels 48 16 recursive:20
levels 60 16 recursive:4 recursive:16
# Consecutive calls are not nested.
levels 303 1 recursive:20 plain:100
# Nor is a call after an abandoned one: 10 calls of deep_plain, plain within it.
levels 30 1 jump:10
levels 60 2 jump:10
