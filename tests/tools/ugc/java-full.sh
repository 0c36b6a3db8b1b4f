#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/fill-java.bash"

# A young collection that becomes a full one counts as a full one: as many as in the JVM's own log,
# with their times.
for collector in Serial Parallel; do
	run_fill "$collector"
	expect_pauses 'Full Young'
	python3 - "$tool_out" "$T/gc.log" <<'PY'
import json, re, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
log = open(sys.argv[2]).read()
pauses = re.findall(r"GC\((\d+)\) Pause (Young|Full) .* ([0-9.]+)ms", log)
count = lambda kind: sum(1 for _, which, _ in pauses if which == kind)
sums = {row["collection"]: row for row in rows if row.get("type") == "summary"}
eden = lambda name: sum(s["count"] for key, s in sums.items() if re.fullmatch(f"({name}) (PS )?Eden Space", key))
assert eden("Copy|PS Scavenge") == count("Young") > 0, (sums, log)
assert eden("MarkSweepCompact|PS MarkSweep") == count("Full") > 0, (sums, log)
assert sums["full collection"]["count"] == count("Full"), (sums, log)
PY
done

# Text output has one line per collection, without pools; with the kind and the heap as in the JVM's
# own log.
run_fill Parallel ''
python3 - "$tool_out" "$T/gc.log" <<'PY'
import re, sys
kinds = {"Young": "PS Scavenge", "Full": "PS MarkSweep"}
logged = [(kinds[kind], int(before), int(after)) for kind, before, after in
          re.findall(r"Pause (Young|Full) .* (\d+)M->(\d+)M", open(sys.argv[2]).read())]
lines = open(sys.argv[1]).read().split("\n\n")[0].splitlines()[1:]
shown = [re.fullmatch(r"[\d:.]+ +[\d.]+[num]?s (.*) ([\d.]+)M->([\d.]+)M", line).groups() for line in lines]
near = lambda mebibytes, truncated: truncated - 0.05 <= float(mebibytes) <= truncated + 1.05
assert len(shown) == len(logged) > 0, (shown, logged)
for (kind, before, after), wanted in zip(shown, logged):
    assert kind == wanted[0] and near(before, wanted[1]) and near(after, wanted[2]), (shown, logged)
PY
