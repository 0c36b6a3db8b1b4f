#!/bin/bash
# timeout: 300
# shares: node
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../../built.bash"
source "$(dirname "$0")/node-leaves.bash"

# As node-leaves.sh, with the official builds of Node.
for release in $(node_releases 16); do
	npm_node "$release"
	node_leaves chains "$node_path"
done
