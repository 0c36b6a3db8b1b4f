#!/bin/bash
# timeout: 300
# shares: packages
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../../built.bash"
source "$(dirname "$0")/node-stacks.bash"

# As node-stacks.sh, with the official builds of Node.
for release in 16 18 20 22 24 25 26; do
	npm_node "$release"
	node_stacks lines 0 "$node_path" --no-sparkplug
	node_stacks inlined 1000 "$node_path"
done
thread=worker node_stacks lines 0 "$node_path" --no-sparkplug
