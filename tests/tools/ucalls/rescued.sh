#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
# Kernel#raise does not return. A method that rescues more exceptions than the tool searches through
# is still counted at each call, and so is a recursive one. Their times are not longer than the
# calls took (tests/measured/ucalls-rescued checks that they are not much shorter).
source "$(dirname "$0")/rescues.bash"
python3 - "$tool_out" "$target_out" <<'PY'
import json, sys
rows = {row["method"]: row for row in map(json.loads, open(sys.argv[1]))}
truth = [list(map(int, line.split()[1:])) for line in open(sys.argv[2]) if line.startswith("done")]
many, recursive = (sum(column) for column in zip(*truth))
rescues, deep = rows["rescues"], rows["deep"]
assert rescues["calls"] == 2 * 20 * (1 + 41) and deep["calls"] == 2 * 20 * 41, rows
assert 0 < deep["duration_ns"] / 1000 <= recursive, (recursive, deep)
assert 0 < rescues["duration_ns"] / 1000 <= many + recursive, (many, rescues)
PY
