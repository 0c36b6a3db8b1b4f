#!/bin/bash
# timeout: 200
# alone: 100,000 threads have to come and go within its time
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"
work_limit=150

# 100,000 threads are started, and each ends inside a call: every call is counted, calls of other
# threads meanwhile and afterwards have times, and the maps of the kernel side do not grow.
# (tests/measured/ucalls-many-threads checks that abandoned calls have no time.)
cp "$TARGETS/churn" "$T/perl5.36"
start_worker "$T/perl5.36" perl
run_tool ucalls -L --json "$target_pid"
work 'threads 1000'
before=$(kernel_bytes)
work 'threads 99000' 'calls 100'
expect_flat "$before"
stop_tool INT
expect_status 0
expect_count 0 '"lost"' "$tool_out"
python3 - "$tool_out" <<'PY'
import json, sys
rows = {row["method"]: row for row in map(json.loads, open(sys.argv[1]))}
assert rows["line"]["calls"] == 3 and rows["line"]["duration_ns"] > rows["outer"]["duration_ns"], rows
assert rows["leaf"]["calls"] == 100100 and rows["leaf"]["duration_ns"] > 0, rows
assert rows["outer"]["calls"] == 100100 and rows["outer"]["duration_ns"] > 0, rows
PY
