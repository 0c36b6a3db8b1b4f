#!/bin/bash
# shares: sid
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/flow.bash"

# As python-new.sh, with CPython 3.14.
need_command jq
debian_root sid python3.14
flow_python "${in_root[@]}" python3.14
