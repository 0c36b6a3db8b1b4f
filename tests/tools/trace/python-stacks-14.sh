#!/bin/bash
# shares: sid
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/python-stacks.bash"

# CPython 3.14 as a program, from Debian's newest suite.
debian_root sid python3.14
python_stacks "${in_root[@]}" python3.14
