#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Several probes at once, and one pattern for many functions: each event names its function, in the
# order of the calls.
run "$BIN/trace" "$TARGETS/values:s[uh][mo]* \"\"" "r:$TARGETS/values:*_of \"%s\", retval" "u:$TARGETS/operands:none" "$TARGETS/values:v?sit \"\"" "$TARGETS/values:0x$(nm "$TARGETS/values" | awk '$3 == "put" { print $1 }') \"%d\", arg1" \
	"$TARGETS/values:main+0 \"\"" --exec -- "$TARGETS/values"
expect_status 0
expect_equal "$(awk '$3 == "values" { print $4, $5 }' "$tool_out" | uniq -c | awk '{ $1 = $1; print }' | sed 's/0x[0-9a-f]*/ADDRESS/; s/ *$//')" '1 main
2 sum
10 show
2 visit
1 name_of zero
1 name_of two
1 ADDRESS -1
1 ADDRESS 2'

# All functions of a program; functions of a library that a process maps.
run "$BIN/trace" "$TARGETS/values:*" --exec -- "$TARGETS/values"
expect_status 0
expect_count 5 ' factorial( |$)' "$tool_out"
expect_line ' _start( |$)' "$tool_out"
start_target_and_wait "$TARGETS/flood" 1 100000 2
run "$BIN/trace" -M 20 -p "$target_pid" 'c:*usleep*' 'libc.so.6:clock_nanos* "%d", arg1'
expect_status 0
expect_line ' usleep( |$)' "$tool_out"
expect_line ' clock_nanosleep +0$' "$tool_out"

