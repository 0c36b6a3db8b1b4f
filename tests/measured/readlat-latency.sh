#!/bin/bash
# Statistical: most waits of 20 ms take little longer than that, and most reads from the page cache take less.
source "$(dirname "$0")/../lib.sh"

# Two commands with different latencies.
cp "$TARGETS/reads" "$T/waits"
percentile() { awk -v name="$1" '$1 == "comm" { here = $3 == name } here && $1 == "p50" { print $2 }' "$tool_out"; }
trace() { # OPTION…
	run_tool readlat --comm reads --comm waits "$@"
	"$TARGETS/reads" read:2000 >"$T/out"
	"$T/waits" waiting:20 >"$T/out"
	stop_tool INT
	expect_status 0
}
trace
fast=$(percentile reads) slow=$(percentile waits)
[ "${slow%ns}" -ge 19000000 ] || fail "a wait of 20 ms took $slow"
[ "${fast%ns}" -lt "${slow%ns}" ] || fail "the page cache took $fast"

trace -u --min 15000
expect_equal "$(percentile reads)" ''
slow=$(percentile waits)
[ "${slow%us}" -ge 19000 ] || fail "$slow"
expect_line '^avg = [0-9]+ usecs, total: [0-9]+ usecs, count: (1[5-9]|20)$' "$tool_out" # who waits may come late

trace -m
slow=$(percentile waits)
[ "${slow%ms}" -ge 19 ] || fail "$slow"
