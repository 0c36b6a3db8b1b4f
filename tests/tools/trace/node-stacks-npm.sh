#!/bin/bash
# timeout: 300
# shares: node
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../../built.bash"
source "$(dirname "$0")/node-stacks.bash"

# As node-stacks.sh, with the official builds of Node.
for release in $(node_releases 16); do
	npm_node "$release"
	node_stacks lines 0 "$node_path" --no-sparkplug
	node_stacks inlined 1000 "$node_path"
done
thread=worker node_stacks lines 0 "$node_path" --no-sparkplug
