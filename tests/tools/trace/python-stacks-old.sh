#!/bin/bash
# shares: bullseye
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/python-stacks.bash"

# CPython 3.9, which calls the interpreter's loop for each function.
debian_root bullseye python3.9
python_stacks "${in_root[@]}" python3.9
