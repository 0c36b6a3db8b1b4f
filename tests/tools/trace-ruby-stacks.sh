#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/ruby-stacks.bash"

# In the stacks of a Ruby program its methods and blocks are in the place of the interpreter's loop.
need_ruby
ruby_stacks "${ruby_program[@]}"
