#!/bin/bash
# shares: sid
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/python-stacks.bash"

# CPython 3.15 as a program of Debian's newest suite: each thread's state is in a thread-local
# variable, no longer under a pthread key.
debian_root sid python3.15
python_stacks "${in_root[@]}" python3.15
