#!/bin/bash
# alone: no read of the page cache may take 15 ms
source "$(dirname "$0")/../../lib.sh"

# Two commands: a file in the page cache, and a pipe whose byte arrives after 20 ms; in each unit;
# --min keeps only calls that take as long. (tests/measured/readlat-latency checks their times.)
cp "$TARGETS/reads" "$T/waits"
trace() { # OPTION…
	run_tool readlat --comm reads --comm waits "$@"
	"$TARGETS/reads" read:2000 >"$T/out"
	"$T/waits" waiting:20 >"$T/out"
	stop_tool INT
	expect_status 0
}

trace
expect_equal "$(grep -E '^(comm|avg)' "$tool_out" | sed 's/avg.*total.*,//' | xargs)" 'comm = reads count: 2000 comm = waits count: 20'
expect_line '^ +nsecs +: count +distribution$' "$tool_out"
expect_line '^avg = [0-9]+ nsecs, total: [0-9]+ nsecs, count: 2000$' "$tool_out"

trace -u --min 15000
expect_line '^comm = waits$' "$tool_out"
expect_line '^avg = [0-9]+ usecs, total: [0-9]+ usecs, count: [0-9]+$' "$tool_out"
expect_equal "$(awk '/^avg = / && $3 < 15000' "$tool_out")" ''

trace -m
expect_line '^avg = [0-9]+ msecs, total: [0-9]+ msecs, count: 20$' "$tool_out"
expect_line '^ +0 -> 1 +: [0-9]+ +\|' "$tool_out"
