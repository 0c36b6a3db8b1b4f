#!/bin/bash
# timeout: 400
# shares: node
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../../built.bash"
source "$(dirname "$0")/node-stacks.bash"

# As node-stacks.sh, with the official builds of Node. Those of Node 24 and newer also have code of
# the compiler Maglev, and that of Node 22 if it is told so.
for release in $(node_releases 16); do
	npm_node "$release"
	node_stacks lines 0 "$node_path" --no-sparkplug
	node_stacks names 1000 "$node_path"
	node_stacks lines 1000 "$node_path" --no-sparkplug
	grep -q '(inlined)$' "$tool_out" || fail "Node $release has inlined nothing"
	[ "$release" != 22 ] || node_stacks lines 1000 "$node_path" --no-sparkplug --maglev
done
thread=worker node_stacks lines 0 "$node_path" --no-sparkplug
