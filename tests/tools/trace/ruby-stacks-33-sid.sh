#!/bin/bash
# shares: sid
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/ruby-stacks.bash"

# Ruby 3.3 as built by a newer compiler, from Debian's newest suite.
debian_root sid ruby3.3
ruby_stacks "${in_root[@]}" ruby3.3
