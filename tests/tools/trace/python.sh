#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Python's garbage collector, with a probe that has a semaphore.
need_python
cat >"$T/collect.py" <<'PY'
import gc, time
print("ready", flush=True)
while True:
    gc.collect(1)
    time.sleep(0.02)
PY
start_target_and_wait "${python_program[@]}" "$T/collect.py"
run_tool trace -M 3 -p "$target_pid" "u:$python_path:gc__start \"generation %d\" arg1"
stop_tool
expect_status 0
expect_count 3 '^'$target_pid' +[0-9]+ +'"$python_name"' +gc__start +generation 1$' "$tool_out"
