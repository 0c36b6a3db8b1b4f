#!/bin/bash
# shares: sid
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/flow.bash"

# As python.sh, with CPython 3.15: its function__entry also fires when a generator is created,
# which is not a call that returns.
need_command jq
debian_root sid python3.15
flow_python "${in_root[@]}" python3.15
