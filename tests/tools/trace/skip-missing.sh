#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Missing probes: without --skip-missing the first one ends the run; with it, each is named and the
# others are traced.
calls=$TARGETS/calls
present="$calls:plain \"here\""
missing=("$calls:plane" "no-such-library:f" "u:$calls:none" "t:sched:none" "$calls:not*there*")
run "$BIN/trace" "$present" "${missing[@]}" --exec -- "$calls" 1 plain:3
expect_status 1
expect_line 'did you mean plain' "$tool_err"

run "$BIN/trace" --skip-missing "${missing[0]}" "$present" "${missing[@]:1}" --exec -- "$calls" 1 plain:3
expect_status 0
expect_count 3 ' plain +here$' "$tool_out"
expect_count 5 '^trace: skipped: ' "$tool_err"
expect_line "^trace: skipped: no function 'plane' in .*, did you mean plain" "$tool_err"

run "$BIN/trace" --json --skip-missing "$present" "${missing[@]}" --exec -- "$calls" 1 plain:3
expect_status 0
expect_count 5 '^\{"type":"missing","time_ns":[0-9]+,"probe":".*","reason":".*"\}$' "$tool_out"
expect_count 3 '"func":"plain"' "$tool_out"

# Also in the other tools that take several probes.
for tool in funccount funclatency stackcount; do
	run_tool $tool --skip-missing "$calls:plain" "$calls:plane" no-such-library:f
	"$calls" 1 plain:3
	stop_tool INT
	expect_status 0
	expect_count 2 "^$tool: skipped: " "$tool_err"
	expect_line plain "$tool_out"
done
run_tool argdist --skip-missing -C "p:$calls:plain(int n):int:n" -C "p:$calls:plane()"
"$calls" 1 plain:3
stop_tool INT
expect_status 0
expect_count 1 '^argdist: skipped: ' "$tool_err"
expect_line ' n = 1$' "$tool_out"

# Errors: no probe is left; a syntax error is not a missing probe; --wait excludes --skip-missing.
run "$BIN/trace" --skip-missing "${missing[@]}"
expect_status 1
expect_line '^trace: none of the probes exists$' "$tool_err"
run "$BIN/trace" --skip-missing "$present" "$calls:plain \"%d\", nothing"
expect_status 2
run "$BIN/trace" --skip-missing --wait "$present"
expect_status 2
