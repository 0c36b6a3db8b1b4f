#!/bin/bash
# shares: packages
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/flow.bash"

# CPython 3.15, the same: its function__entry also fires where a generator is made, which is no call that returns.
need_command jq
debian_root sid python3.15
flow_python "${in_root[@]}" python3.15
