#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# Tools in a time namespace, whose clock is 500,000 s ahead of or up to 5,000 s behind the clock of
# the kernel's events. It cannot be below 0: a machine that has just started is less behind.
unshare -T --monotonic 5 true 2>/dev/null || skip 'cannot create a time namespace'
real=$BIN
BIN=$T/bin
mkdir "$BIN"
start_worker "$TARGETS/leaks"
read -r up _ </proc/uptime
up=${up%.*}
for ahead in 500000 -$((up > 10000 ? 5000 : up / 2)); do
	for name in trace memleak; do
		printf '#!/bin/sh\nexec unshare -T --monotonic %s --boottime %s %s "$@"\n' "$ahead" "$ahead" "$real/$name" >"$BIN/$name"
	done
	chmod +x "$BIN"/*
	in_namespace=$(unshare -T --monotonic "$ahead" readlink /proc/self/ns/time)
	[ "$in_namespace" != "$(readlink /proc/self/ns/time)" ] || skip 'this kernel needs a fork to enter a time namespace'

	before=$EPOCHREALTIME
	run_tool trace --json -p "$target_pid" "$TARGETS/leaks:keep_malloc*"
	work keep
	stop_tool INT
	expect_count 1 '"func":"keep_malloc"' "$tool_out"
	python3 - "$tool_out" "${before//[.,]/}" "${EPOCHREALTIME//[.,]/}" <<-'END' || fail "$(cat "$tool_out")"
		import json, sys
		time_us = json.loads(open(sys.argv[1]).readline())["time_ns"] / 1000
		sys.exit(not int(sys.argv[2]) <= time_us <= int(sys.argv[3]))
	END

	run_tool trace -t -p "$target_pid" "$TARGETS/leaks:keep_malloc*"
	work keep
	sleep 0.1
	work keep
	stop_tool INT
	awk '/keep_malloc/ { time[++n] = $1 } END { exit !(n == 2 && time[1] > 0 && time[2] >= time[1] + 0.1 && time[2] < 200) }' \
		"$tool_out" || fail "$(cat "$tool_out")"

	# Blocks older than 10 ms, with their age.
	run_tool memleak -p "$target_pid" -o 10 -z 1001 -Z 1001 -T 100 --json 100
	work drop keep
	sleep 0.05
	stop_tool INT
	expect_line '"bytes":10010,"count":10,.*keep_malloc' "$tool_out"
	python3 - "$tool_out" <<-'END' || fail "$(cat "$tool_out")"
		import json, sys
		rows = [json.loads(line) for line in open(sys.argv[1]) if '"oldest_ns"' in line]
		sys.exit(not (rows and all(1e7 < row["oldest_ns"] < 200e9 for row in rows)))
	END
done
