#!/bin/bash
# Statistical: 41 calls around one that takes 20 ms take less than as much again.
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/../tools/ucalls/fatal.bash"

python3 - "$tool_out" <<'PY'
import json, sys
rows = {row["method"]: row for row in map(json.loads, open(sys.argv[1]))}
deep, leaf = rows["deep"], rows["leaf"]
assert deep["duration_ns"] < 2 * leaf["duration_ns"], rows
PY
