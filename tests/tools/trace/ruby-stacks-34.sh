#!/bin/bash
# shares: experimental
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/ruby-stacks.bash"

# Ruby 3.4, which Debian has in experimental only.
debian_root experimental ruby3.4
ruby_stacks "${in_root[@]}" ruby3.4
