#!/bin/bash
# ring: first
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/language.bash"

# CPython 3.11, whose probe of entries never fires: calls are counted where the interpreter begins a function, exactly,
# also of generators and among threads.
start_python_worker
run_tool ucalls "$target_pid"
count_python_calls
expect_line 'no probe tells of calls: they are counted where its interpreter begins a function$' "$tool_err"

# With times, each going on of a generator is a call.
time_python_calls work.py.leaf work.py.deep
