#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/node-stacks.bash"

# Stacks of a Node program have the names of its functions, with file and line where V8 interprets
# them.
need_command node
node_stacks lines 0 node --no-sparkplug
node_stacks lines 0 node --jitless
node_stacks names 2 node --always-sparkplug
node_stacks names 3000 node
node_stacks lines 3000 node --no-sparkplug
thread=worker node_stacks lines 0 node --no-sparkplug
thread=worker node_stacks names 3000 node
