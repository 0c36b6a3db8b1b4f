#!/bin/bash
# timeout: 240
# shares: trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/java-stacks.bash"

# As java-stacks.sh, with JDK 21 and 25: their structures differ from those of 17 and from each
# other.
java_stacks_of trixie 21 25
