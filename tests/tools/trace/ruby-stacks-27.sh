#!/bin/bash
# shares: bullseye
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/ruby-stacks.bash"

# Ruby 2.7.
debian_root bullseye ruby2.7
ruby_stacks "${in_root[@]}" ruby2.7
