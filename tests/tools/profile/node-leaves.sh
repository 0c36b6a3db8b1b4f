#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/node-leaves.bash"

# Small functions that V8 has compiled have their callers, also while their frame is set up or
# removed.
need_command node
node_leaves chains node
node_leaves chains node --always-sparkplug --no-opt
node_leaves chains node --no-sparkplug --no-opt
