#!/bin/bash
# Statistical: methods that rescue exceptions have seven tenths of the time that the program measures around them.
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/../tools/ucalls/rescues.bash"

python3 - "$tool_out" "$target_out" <<'PY'
import json, sys
rows = {row["method"]: row for row in map(json.loads, open(sys.argv[1]))}
truth = [list(map(int, line.split()[1:])) for line in open(sys.argv[2]) if line.startswith("done")]
many, recursive = (sum(column) for column in zip(*truth))
rescues, deep = rows["rescues"], rows["deep"]
assert 0.7 * recursive < deep["duration_ns"] / 1000 <= recursive, (recursive, deep)
assert 0.7 * many < rescues["duration_ns"] / 1000 <= many + recursive, (many, rescues)
PY
