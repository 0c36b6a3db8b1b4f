#!/bin/bash
# Statistical: each function has as many of a hundred samples as V8's own profiler gives it, 6 more or less.
# timeout: 300
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/../built.bash"
source "$(dirname "$0")/../tools/profile/node-leaves.bash"

# As profile-node-leaves, with the official builds of Node.
for release in 16 18 20 22 24 25 26; do
	npm_node "$release"
	node_leaves shares "$node_path"
done
