#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# ugc shows a JVM's collections and the memory pools that they cleared. The JVM needs no flags for
# these probes. The total counts each whole collection, but not its pools.
start_java_worker -XX:+UseSerialGC
run_tool ugc --json "$target_pid"
work collect
wait_for "[ \$(grep -c '\"description\":\"full collection\"' '$tool_out') = 3 ]" 20
stop_tool INT
expect_status 0
expect_equal "$(cat "$tool_err")" ''
python3 - "$tool_out" <<'PY'
import json, re, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
events = [row for row in rows if "type" not in row]
sums = {row["collection"]: row for row in rows if row.get("type") == "summary"}
eden = [row for row in events if row["collection"] == "MarkSweepCompact Eden Space"]
assert len(eden) == 3, eden
assert all(re.fullmatch(r"MarkSweepCompact Eden Space used=\d+->0 max=\d+->\d+", row["description"]) for row in eden)
assert any("max=none->none" in row["description"] for row in events)
assert sums["full collection"]["count"] == sums["total"]["count"] == 3
assert abs(sums["total"]["total_ns"] - sum(e["duration_ns"] for e in events if e["collection"] == "full collection")) < 1000
PY
