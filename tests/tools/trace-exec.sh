#!/bin/bash
# ring: first
source "$(dirname "$0")/../lib.sh"

# --exec -- CMD: from the first instruction on, of that process only, to its end; its output is its own.
start_target_and_wait "$TARGETS/flood" 1 100000 5
probes=("$TARGETS/flood:_start" "$TARGETS/flood:main \"%d %s\", arg1, ((char **)arg2)[1]" "$TARGETS/flood:flood \"%d\", arg2")
run "$BIN/trace" "${probes[@]}" --exec -- "$TARGETS/flood" 1 3
expect_status 0
expect_equal "$(grep -v '^PID' "$tool_out" | sed 's/^[0-9]* *[0-9]* *flood *//; s/ *$//' | tr -s ' ' | sort)" "$(printf '%s\n' \
	_start 'main 3 1' 'flood 1' 'flood 2' 'flood 3' ready | sort)"
expect_equal "$(awk '/ flood / { print $1 }' "$tool_out" | sort -u | wc -l)" 1

# Words in one argument of -c, quoted as for a shell.
run "$BIN/trace" -c "'$TARGETS/flood' \"1\" 2" "${probes[@]}"
expect_status 0
expect_count 2 ' flood +[12]$' "$tool_out"

# The program is looked up in PATH; its status is not that of the tracer.
PATH=$TARGETS:$PATH run "$BIN/trace" 'values:sum "%d", a' --exec -- values
expect_status 0
expect_count 2 ' sum ' "$tool_out"

# The tracer's end ends what it started.
run_tool trace "$TARGETS/flood:flood" --exec -- "$TARGETS/flood" 1 100000 5
wait_for "grep -q ' flood ' '$tool_out'" 10
child=$(awk '$4 == "flood" { print $1; exit }' "$tool_out")
stop_tool INT
expect_status 0
wait_for "! alive $child" 5

# What cannot be executed, and what is missing.
run "$BIN/trace" "$TARGETS/flood:flood" --exec -- "$T/nothing-here"
expect_status 1
expect_equal "$(cat "$tool_out" "$tool_err")" "trace: cannot execute $T/nothing-here: No such file or directory"
touch "$T/plain"
run "$BIN/trace" "$TARGETS/flood:flood" --exec -- "$T/plain"
expect_status 1
expect_line '^trace: .*plain.*[Pp]ermission denied' "$tool_err"
