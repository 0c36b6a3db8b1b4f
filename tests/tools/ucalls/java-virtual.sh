#!/bin/bash
# shares: trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# A call of a virtual thread has its own time, also if it begins on one carrier thread and ends on
# another. The time is not longer than the one that the program has measured
# (tests/measured/ucalls-java-virtual checks that it is not much shorter).
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
assert nap["calls"] == outer["calls"] == 320, (nap, outer)
assert nap["duration_ns"] <= true_ns and nap["duration_ns"] <= outer["duration_ns"], (true_ns, nap, outer)
assert nap["p50_ns"] >= 2_800_000, nap
assert rows["java/lang/VirtualThread.mount"]["calls"] >= 320
PY
	exec 7>&-
	stop_target KILL
done
