#!/bin/bash
# Statistical: each function has as many of a hundred samples as V8's own profiler gives it, 6 more or less.
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/../tools/profile/node-leaves.bash"

# Small functions that V8 has compiled are found where their frame begins and ends.
need_command node
node_leaves shares node
