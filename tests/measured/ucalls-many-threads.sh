#!/bin/bash
# Statistical: a hundred calls that return take less than 100 ms, and those that threads leave by ending take none.
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/../tools/language.bash"

# 20,000 threads end in the middle of a call.
cp "$TARGETS/churn" "$T/perl5.36"
start_worker "$T/perl5.36" perl
run_tool ucalls -L --json "$target_pid"
work 'threads 20000' 'calls 100'
stop_tool INT
expect_status 0
python3 - "$tool_out" <<'PY'
import json, sys
rows = {row["method"]: row for row in map(json.loads, open(sys.argv[1]))}
assert rows["line"]["duration_ns"] > 100e6, rows
assert 0 < rows["outer"]["duration_ns"] < 100e6, rows
PY
