#!/bin/bash
# shares: trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# Each virtual thread has its own tree of calls, whatever carrier threads it runs on: every call has
# its return, its depth and its time, which is not longer than the one that the program has measured
# (tests/measured/uflow-java-virtual checks that it is not much shorter).
check() { # checks the calls of the run
	python3 - "$tool_out" "$(awk '$1 == "done" { print $2 }' "$target_out" | tail -n 1)" <<'PY'
import collections, json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
calls = [row for row in rows if row.get("method", "").startswith("Virtual.") and row["method"] != "Virtual.main"]
threads = collections.defaultdict(list)
for row in calls:
    threads[row.get("virtual_thread")].append(row)
assert len(threads) == 16 and None not in threads, threads.keys()
assert len({row["tid"] for row in calls}) > 1  # else the test proves nothing
for rows_of_one in threads.values():
    names = [(row["event"], row["method"].split(".")[1]) for row in rows_of_one]
    step = [("entry", "outer"), ("entry", "nap"), ("return", "nap"), ("return", "outer")]
    assert names == [("entry", "work"), *(step * 10), ("return", "work")], names
    base = rows_of_one[0]["depth"]
    assert base < 40 and all(row["depth"] == base + ["work", "outer", "nap"].index(row["method"].split(".")[1])
                             for row in rows_of_one), rows_of_one
took = {name: [row["duration_ns"] for row in calls if row["method"] == "Virtual." + name and row["event"] == "return"]
        for name in ("nap", "outer")}
assert len(took["nap"]) == 160 and min(took["nap"]) >= 3_000_000, took
assert sum(took["nap"]) <= int(sys.argv[2]), (sys.argv[2], sum(took["nap"]))
assert sum(took["nap"]) <= sum(took["outer"]), took
assert not any(row["event"] == "unseen" for row in rows if "event" in row)
PY
}
for release in 21 25; do
	start_new_virtual_java "$release" -XX:+DTraceMethodProbes
	run_tool uflow --json -C Virtual "$target_pid"
	work go
	stop_tool INT
	expect_status 0
	check

	run_tool uflow -C Virtual "$target_pid"
	work go
	stop_tool INT
	expect_status 0
	expect_line '^[0-9:]{8}\.[0-9]{6} [0-9]+ +[0-9]+ +v[0-9]+ +-> Virtual\.outer$' "$tool_out"
	expect_no_line 'not seen' "$tool_out"

	run_tool uflow --folded -C Virtual "$target_pid"
	work go
	stop_tool INT
	expect_status 0
	expect_line 'Virtual\.work;Virtual\.outer;Virtual\.nap [0-9]+$' "$tool_out"
	expect_no_line 'Virtual\.nap;.*Virtual\.(nap|outer|work)' "$tool_out"
	exec 7>&-
	stop_target KILL
done
