#!/bin/bash
# shares: reads
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# All tools report losses in JSON as they do on standard error: how many of what, and why.
need_command jq
losses() { # WHAT REASON; prints their sum in the last tool's output
	grep '^{' "$tool_out" | jq -s --arg what "$1" --arg reason "$2" \
		'map(select(.type == "lost" and .what == $what and .reason == $reason) | .count) | add // 0'
}
reported_losses() { # WHAT REASON; prints their sum on standard error
	sed -nE "s/^[a-z]*: (lost )?([0-9]+) $1( are not counted)?: (.*)\$/\2 \4/p" "$tool_err" |
		awk -v reason="$2" '{ count = $1; sub(/^[0-9]+ /, "") } $0 == reason { sum += count } END { print sum + 0 }'
}
expect_loss() { # WHAT REASON [COUNT]
	local count
	count=$(losses "$1" "$2")
	[ "$count" -gt 0 ] || { show_ "$tool_out"; show_ "$tool_err"; fail "$tool_name: nothing was lost"; }
	expect_equal "$count" "$(reported_losses "$1" "$2")"
	[ $# -lt 3 ] || expect_equal "$count" "$3"
}

flood=$TARGETS/flood
run_tool argdist --json --keys 10 -C "p:$flood:flood(long thread, long number):long:number"
"$flood" 1 500
stop_tool INT
expect_loss events 'no room for more keys (increase --keys)' 490

run_tool funccount --json --keys 2 -P "$TARGETS/calls:plain"
for _ in 1 2 3 4 5; do "$TARGETS/calls" 1 plain:100; done
stop_tool INT
expect_loss calls 'no room for more keys (increase --keys)'

run_tool funclatency --json --keys 2 -P "$TARGETS/calls:plain"
for _ in 1 2 3 4 5; do "$TARGETS/calls" 1 plain:100; done
stop_tool INT
expect_loss calls 'no room for more histograms (increase --keys)'

run_tool readlat --json --slots 3 --by-call --comm reads
"$TARGETS/reads" read:500 pread64:600 readv:700 >"$T/out"
stop_tool INT
expect_loss calls 'no room for more histograms (increase --slots)'

run "$BIN/trace" --json --buffer 4K "$flood:flood" --exec -- "$flood" 2 100000
expect_loss events 'the buffer was full (increase --buffer)'

start_worker "$TARGETS/allocate"
run_tool uobjnew --json --keys 1 "$target_pid"
work x
stop_tool INT
expect_loss objects 'no room for more types (increase --keys)'
