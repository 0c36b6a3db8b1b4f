#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# CPython 3.11, whose probe of entries never fires: calls are counted exactly where the interpreter
# starts a function, also of generators and in several threads.
start_python_worker
run_tool ucalls "$target_pid"
count_python_calls
expect_line 'no probe reports calls; tracing the interpreter instead, where it begins a function$' "$tool_err"

# With times, each resumption of a generator is a call.
time_python_calls work.py.leaf work.py.deep
