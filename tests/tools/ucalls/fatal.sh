#!/bin/bash
# shares: http
source "$(dirname "$0")/../../lib.sh"

# A fatal error ends a request of PHP's server inside 40 calls, none of which returns. The same
# functions have their own times in the following requests. (tests/measured/ucalls-fatal: and no
# more than that.)
source "$(dirname "$0")/fatal.bash"
python3 - "$tool_out" <<'PY'
import json, sys
rows = {row["method"]: row for row in map(json.loads, open(sys.argv[1]))}
deep, leaf = rows["deep"], rows["leaf"]
assert deep["calls"] == 4 * 41 and leaf["calls"] == 4, rows
assert 40e6 < leaf["duration_ns"] <= deep["duration_ns"], rows
PY
