#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# --exec -- CMD traces only that process, from its first instruction to its end; its output is
# separate.
start_target_and_wait "$TARGETS/flood" 1 100000 5
probes=("$TARGETS/flood:_start" "$TARGETS/flood:main \"%d %s\", arg1, ((char **)arg2)[1]" "$TARGETS/flood:flood \"%d\", arg2")
run "$BIN/trace" "${probes[@]}" --exec -- "$TARGETS/flood" 1 3
expect_status 0
expect_equal "$(grep -v '^PID' "$tool_out" | sed 's/^[0-9]* *[0-9]* *flood *//; s/ *$//' | tr -s ' ' | sort)" "$(printf '%s\n' \
	_start 'main 3 1' 'flood 1' 'flood 2' 'flood 3' | sort)"
expect_line '^ready$' "$tool_err" # the command's own output
expect_equal "$(awk '/ flood / { print $1 }' "$tool_out" | sort -u | wc -l)" 1

# With -o, and on a terminal, the command keeps its standard output.
run "$BIN/trace" -o "$T/lines" "$TARGETS/flood:flood" --exec -- "$TARGETS/flood" 1 3
expect_status 0
expect_equal "$(cat "$tool_out")" ready
expect_count 3 ' flood +thread=1, number=[1-3]$' "$T/lines"
if command -v script >/dev/null; then
	script -qec "$BIN/trace $TARGETS/flood:flood --exec -- $TARGETS/flood 1 3 2>'$T/err'" /dev/null | tr -d '\r' >"$T/screen"
	expect_line '^ready$' "$T/screen"
	expect_no_line '^ready$' "$T/err"
fi

# -c takes a command as one argument, quoted as for a shell.
run "$BIN/trace" -c "'$TARGETS/flood' \"1\" 2" "${probes[@]}"
expect_status 0
expect_count 2 ' flood +[12]$' "$tool_out"

# The program is looked up in PATH; the tracer does not return its status.
PATH=$TARGETS:$PATH run "$BIN/trace" 'values:sum "%d", a' --exec -- values
expect_status 0
expect_count 2 ' sum ' "$tool_out"

# When the tracer ends, it ends the command.
run_tool trace "$TARGETS/flood:flood" --exec -- "$TARGETS/flood" 1 100000 5
wait_for "grep -q ' flood ' '$tool_out'" 10
child=$(awk '$4 == "flood" { print $1; exit }' "$tool_out")
stop_tool INT
expect_status 0
wait_for "! alive $child" 5

# Files that cannot be executed, and missing ones.
run "$BIN/trace" "$TARGETS/flood:flood" --exec -- "$T/nothing-here"
expect_status 1
expect_equal "$(cat "$tool_out" "$tool_err")" "trace: cannot execute $T/nothing-here: No such file or directory"
touch "$T/plain"
run "$BIN/trace" "$TARGETS/flood:flood" --exec -- "$T/plain"
expect_status 1
expect_line '^trace: .*plain.*[Pp]ermission denied' "$tool_err"
