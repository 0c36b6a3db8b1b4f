#!/bin/bash
# timeout: 400
# shares: sid
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/java-stacks.bash"

# As java-stacks.sh, with the newer JDKs of Debian's newest suite.
java_stacks_of sid 26 27 28
