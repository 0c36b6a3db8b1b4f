#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/ustat.bash"

# Python's calls are unknown, or counted with --unsafe; the tool says so.
need_python_3_11
need_command jq
cat >"$T/calls.py" <<'PY'
import os
def fest():
    pass
os.write(1, b"ready\n")
os.read(0, 10)
for _ in range(1000):
    fest()
os.write(1, b"done\n")
os.read(0, 10)
PY
start_program calls "${python_program[@]}" "$T/calls.py"
run "$BIN/ustat" -v --json -i 0.1 -n 1 -p "$target_pid"
expect_status 0
expect_line '\(python 3\.11\.[0-9]+\): its calls are not counted, as counting slows each by about 1 us$' "$tool_err"
expect_no_line 'function__entry' "$tool_err"
expect_equal "$(sum "$target_pid" methods)" null

run_tool ustat --json -i 0.1 --unsafe -p "$target_pid"
proceed calls
wait_for "grep -q done '$target_out'" 60
stop_tool INT
expect_status 0
expect_equal "$(sum "$target_pid" methods)" 1000
