#!/bin/bash
# timeout: 300
# shares: node
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../../built.bash"
source "$(dirname "$0")/../language.bash"

# The official builds of Node.js, back to 16: every collection that --trace-gc prints. 16 and 18 run
# a copy of V8's function (….constprop.1331).
collections() { # KIND; counts the collections that the program prints
	grep -cE "ms: $1" "$target_out" || true
}
expect_collections() { # KIND-OF-UGC KIND BEFORE
	expect_equal "$release: $(grep -c "GC $1\$" "$tool_out")" "$release: $(($(collections "$2") - $3))"
}
for release in $(node_releases 16); do
	npm_node "$release"
	cp "$scripts/work.js" "$T"
	start_worker "$node_path" --expose-gc --trace-gc --max-semi-space-size=2 "$T/work.js"
	# The debug information of Rust code in Node 26 does not make it slow.
	TIMEFORMAT=%U
	cpu=$({ time "$BIN/ugc" --dry-run "$target_pid" >"$T/dry" 2>&1; } 2>&1)
	[ "${cpu%.*}" -lt 5 ] || fail "Node $release: ugc takes $cpu s of CPU to start"
	scavenges=$(collections Scavenge) whole=$(collections Mark)
	run_tool ugc "$target_pid"
	work collect scavenge
	wait_for "[ \$(grep -cE 'GC (scavenge|mark)' '$tool_out') -ge 7 ]" 20
	stop_tool INT
	expect_status 0
	expect_collections scavenge Scavenge "$scavenges"
	expect_collections mark-sweep-compact Mark "$whole"
	exec 7>&-
	stop_target KILL
done
