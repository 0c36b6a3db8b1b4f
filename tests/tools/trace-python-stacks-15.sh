#!/bin/bash
# shares: packages
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/python-stacks.bash"

# CPython 3.15, as a program of Debian's newest suite: its threads have their state in a variable of their own.
debian_root sid python3.15
python_stacks "${in_root[@]}" python3.15
