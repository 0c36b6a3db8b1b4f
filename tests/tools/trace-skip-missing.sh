#!/bin/bash
# ring: first
source "$(dirname "$0")/../lib.sh"

# Probes that are not there: without --skip-missing the first ends the run, with it each is named and the others go on.
calls=$TARGETS/calls
present="$calls:plain \"here\""
missing=("$calls:plane" "no-such-library:f" "u:$calls:none" "t:sched:none" "$calls:not*there*")
run "$BIN/trace" "$present" "${missing[@]}" --exec -- "$calls" 1 plain:3
expect_status 1
expect_line 'did you mean plain' "$tool_err"

run "$BIN/trace" --skip-missing "${missing[0]}" "$present" "${missing[@]:1}" --exec -- "$calls" 1 plain:3
expect_status 0
expect_count 3 ' plain +here$' "$tool_out"
expect_count 5 '^trace: left out: ' "$tool_err"
expect_line "^trace: left out: no function 'plane' in .*, did you mean plain" "$tool_err"

run "$BIN/trace" --json --skip-missing "$present" "${missing[@]}" --exec -- "$calls" 1 plain:3
expect_status 0
expect_count 5 '^\{"type":"missing","time_ns":[0-9]+,"probe":".*","reason":".*"\}$' "$tool_out"
expect_count 3 '"func":"plain"' "$tool_out"

# In the other tools that take several, too.
for tool in funccount funclatency stackcount; do
	run_tool $tool --skip-missing "$calls:plain" "$calls:plane" no-such-library:f
	"$calls" 1 plain:3
	stop_tool INT
	expect_status 0
	expect_count 2 "^$tool: left out: " "$tool_err"
	expect_line plain "$tool_out"
done
run_tool argdist --skip-missing -C "p:$calls:plain(int n):int:n" -C "p:$calls:plane()"
"$calls" 1 plain:3
stop_tool INT
expect_status 0
expect_count 1 '^argdist: left out: ' "$tool_err"
expect_line ' n = 1$' "$tool_out"

# Nothing is left; what is wrong in itself is no missing probe; waiting for them is the opposite.
run "$BIN/trace" --skip-missing "${missing[@]}"
expect_status 1
expect_line '^trace: none of the probes is there$' "$tool_err"
run "$BIN/trace" --skip-missing "$present" "$calls:plain \"%d\", nothing"
expect_status 2
run "$BIN/trace" --skip-missing --wait "$present"
expect_status 2
