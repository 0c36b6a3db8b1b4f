#!/bin/bash
# shares: packages
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# G1's Remark and Cleanup are separate pauses: the total has as many pauses as the JVM's own log.
# (tests/measured/ugc-java: and their times.)
check() {
	run_tool ugc --json "$target_pid"
	work collect
	wait_for "[ \$(grep -c 'Concurrent Mark Cycle [0-9]' '$T/gc.log') -ge 3 ]" 20
	stop_tool INT
	expect_status 0
	python3 - "$tool_out" "$T/gc.log" <<'PY'
import json, re, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
pauses = [float(ms) for ms in re.findall(r" Pause .* ([0-9.]+)ms", open(sys.argv[2]).read())]
total = next(row for row in rows if row.get("collection") == "total")
assert total["count"] == len(pauses) >= 9, (total, pauses)
PY
	exec 7>&-
	stop_target KILL
	rm "$T/gc.log"
}
options=(-XX:+UseG1GC -XX:+ExplicitGCInvokesConcurrent "-Xlog:gc:file=$T/gc.log")
start_java_worker "${options[@]}"
check
for release in 21 25; do
	start_new_java_worker "$release" "${options[@]}"
	check
done
