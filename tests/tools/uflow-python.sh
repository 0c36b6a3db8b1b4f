#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/flow.bash"

# CPython 3.11, whose probe of entries never fires.
[ -x /usr/bin/python3.11 ] || skip 'python3.11 is not installed'
need_command jq
flow_python /usr/bin/python3.11
