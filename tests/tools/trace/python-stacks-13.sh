#!/bin/bash
# shares: trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/python-stacks.bash"

# CPython 3.13.
debian_root trixie python3.13
python_stacks "${in_root[@]}" python3.13
