#!/bin/bash
# shares: reads
source "$(dirname "$0")/../../lib.sh"

# --json: one object per histogram.
need_command python3
run_tool readlat --json -u -P --by-call --by-type --comm reads
"$TARGETS/reads" read:7 pipe:3 recvmsg:5 >"$T/out"
stop_tool INT
expect_status 0
python3 - "$tool_out" <<'PY'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert [(r["comm"], r["call"], r["type"], r["histogram"]["count"]) for r in rows] == [
    ("reads", "read", "regular file", 7), ("reads", "recvmsg", "socket", 5), ("reads", "read", "pipe", 3)], rows
assert len({r["pid"] for r in rows}) == 1
for r in rows:
    h = r["histogram"]
    assert h["unit"] == "usecs" and sum(b["count"] for b in h["buckets"]) == h["count"], h
    assert h["avg"] == h["sum"] // h["count"] and h["p50"] <= h["p99"] <= h["max"], h
PY
