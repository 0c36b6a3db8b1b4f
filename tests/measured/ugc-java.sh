#!/bin/bash
# Statistical: the collections take nine tenths of the pauses in the JVM's own log, which also contain other work.
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/../tools/language.bash"
source "$(dirname "$0")/../tools/ugc/fill-java.bash"

compare() {
	python3 - "$tool_out" "$T/gc.log" <<'PY'
import json, re, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
pauses = [float(ms) for ms in re.findall(r" Pause .* ([0-9.]+)ms", open(sys.argv[2]).read())]
total = next(row for row in rows if row.get("collection") == "total")
assert pauses and total["total_ns"] >= 0.9e6 * sum(pauses), (total, pauses)
PY
}
for collector in Serial Parallel; do
	run_fill "$collector"
	compare
done

# In G1, Remark and Cleanup are separate pauses.
check() {
	run_tool ugc --json "$target_pid"
	work collect
	wait_for "[ \$(grep -c 'Concurrent Mark Cycle [0-9]' '$T/gc.log') -ge 3 ]" 20
	stop_tool INT
	expect_status 0
	compare
	exec 7>&-
	stop_target KILL
	rm "$T/gc.log"
}
rm "$T/gc.log"
options=(-XX:+UseG1GC -XX:+ExplicitGCInvokesConcurrent "-Xlog:gc:file=$T/gc.log")
start_java_worker "${options[@]}"
check
for release in 21 25; do
	start_new_java_worker "$release" "${options[@]}"
	check
done
