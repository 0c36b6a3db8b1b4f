#!/bin/bash
# Statistical: the calls take as long as the program says, within a tenth and a hundredth.
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/../tools/language.bash"

# A call of a virtual thread has its own time, on any carriers.
for release in 21 25; do
	start_new_virtual_java "$release" -XX:+DTraceMethodProbes
	run_tool uflow --json -C Virtual "$target_pid"
	work go
	stop_tool INT
	expect_status 0
	python3 - "$tool_out" "$(awk '$1 == "done" { print $2 }' "$target_out" | tail -n 1)" <<'PY'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
took = {name: [row["duration_ns"] for row in rows if row.get("method") == "Virtual." + name and row["event"] == "return"]
        for name in ("nap", "outer")}
true_ns = int(sys.argv[2])
assert len(took["nap"]) == 160
assert 0.9 * true_ns < sum(took["nap"]) <= true_ns < sum(took["outer"]) * 1.01, (true_ns, sum(took["nap"]), sum(took["outer"]))
PY
	exec 7>&-
	stop_target KILL
done
