#!/bin/bash
# Statistical: the calls take as long as the program says, within a tenth and a hundredth.
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/../tools/language.bash"

# A call of a virtual thread has its own time, also if it begins on one carrier and ends on another.
for release in 21 25; do
	start_new_virtual_java "$release" -XX:+DTraceMethodProbes
	run_tool ucalls -H --json "$target_pid"
	work go go
	stop_tool INT
	expect_status 0
	python3 - "$tool_out" "$target_out" <<'PY'
import json, sys
rows = {row.get("class", "") + "." + row["method"]: row for row in map(json.loads, open(sys.argv[1])) if "method" in row}
true_ns = sum(int(line.split()[1]) for line in open(sys.argv[2]) if line.startswith("done"))
nap, outer = rows["Virtual.nap"], rows["Virtual.outer"]
assert 0.9 * true_ns < nap["duration_ns"] <= true_ns <= 1.01 * outer["duration_ns"], (true_ns, nap, outer)
PY
	exec 7>&-
	stop_target KILL
done
