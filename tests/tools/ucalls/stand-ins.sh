#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# Perl and Tcl, with a small program that fires their probes. Calls that an error ends without a
# return are counted, and do not disturb the times of others.
for language in perl5.36 tclsh8.6; do
	start_stand_in "$language"
	run_tool ucalls -H --json "$target_pid"
	work calls
	stop_tool INT
	expect_status 0
	expect_line '"method":"leaf","calls":500,' "$tool_out"
	expect_line '"method":"outer","calls":10,' "$tool_out"
	python3 - "$tool_out" <<'PY'
import json, sys
rows = {row["method"]: row for row in map(json.loads, open(sys.argv[1]))}
assert rows["leaf"]["duration_ns"] <= rows["leaf"]["max_ns"] * 500, rows
assert rows["outer"]["max_ns"] >= rows["leaf"]["p50_ns"] * 25, rows
PY
	stop_target KILL
done
expect_no_line '"class"' "$tool_out"

# Tcl's objects have no type.
start_stand_in tclsh8.6
run_tool uobjnew "$target_pid"
work objects
stop_tool INT
expect_status 0
expect_line '^object +70 *$' "$tool_out"
