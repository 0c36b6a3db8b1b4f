#!/bin/bash
# shares: trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/flow.bash"

# CPython 3.13, which has no probes of functions.
need_command jq
debian_root trixie python3.13
flow_python "${in_root[@]}" python3.13
