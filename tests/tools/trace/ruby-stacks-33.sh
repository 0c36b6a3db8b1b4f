#!/bin/bash
# shares: trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/ruby-stacks.bash"

# Ruby 3.3.
debian_root trixie ruby3.3 php8.4-cli
ruby_stacks "${in_root[@]}" ruby3.3
