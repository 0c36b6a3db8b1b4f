#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# Each recursive call of a method counts, but the method's time is only that of the outermost call:
# no method takes longer than the program ran.
start_ruby_worker traced
run_tool ucalls -H --json "$target_pid"
started=${EPOCHREALTIME//[.,]/}
work recurse recurse
ended=${EPOCHREALTIME//[.,]/}
stop_tool INT
expect_status 0
python3 - "$tool_out" $((ended - started)) <<'PY'
import json, sys
rows = {row["method"]: row for row in map(json.loads, open(sys.argv[1]))}
deep = rows["deep"]
assert deep["calls"] == 60 and deep["class"] == "Object" and deep["kind"] == "method", deep
assert 0 < deep["p50_ns"] <= deep["p99_ns"] <= deep["max_ns"] <= deep["duration_ns"] <= int(sys.argv[2]) * 1000, deep
PY
