#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/language.bash"

# In CPython 3.11 only the returns of functions tell of themselves: they are counted, and have no time.
start_python_worker
run_tool ucalls "$target_pid"
work calls recurse throw
stop_tool INT
expect_status 0
expect_equal "$(calls_of 'work\.py' | sed 's,.*/,,')" \
	"$(printf '%s\n' 'work.py.deep 30' 'work.py.fails 20' 'work.py.leaf 500')"
expect_line 'in CPython 3\.11 function__entry never fires' "$tool_err"

run "$BIN/ucalls" -L "$target_pid"
expect_status 1
expect_line 'without -L and -H calls are counted$' "$tool_err"
