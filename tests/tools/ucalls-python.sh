#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/language.bash"

# CPython 3.11, whose probe of entries never fires: calls are counted where the interpreter begins a function, exactly,
# also of generators and among threads; they have no time.
start_python_worker
run_tool ucalls "$target_pid"
count_python_calls
expect_line 'no probe tells of calls: they are counted where its interpreter begins a function$' "$tool_err"

run "$BIN/ucalls" -L "$target_pid"
expect_status 1
expect_line 'in CPython 3\.11 function__entry never fires.*; without -L and -H calls are counted$' "$tool_err"

# With --unsafe it is made to tell of entries, too: calls have times.
run_tool ucalls --unsafe -L "$target_pid"
work calls
stop_tool INT
expect_status 0
expect_line 'work\.py\.leaf +500 +[0-9.]+$' "$tool_out"
