#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/flow.bash"

# A CPython 3.11 with an unrecognized interpreter (here: its function is renamed) reports calls only
# while the semaphore of another probe is above 0: the tool gives the reason. With --unsafe, it
# increments the semaphore, and decrements it at the end.
need_python_3_11
need_command jq
sed 's/_PyEval_EvalFrameDefault/_PyEval_EvalFrameUnknown/g' "$python_root$python_path" >"$T/python3.11"
chmod 755 "$T/python3.11"
cat >"$T/octi.py" <<'PY'
import sys
def fest(n):
    if n == 3:
        raise ValueError
    return n
def run():
    for n in range(4):
        try:
            fest(n)
        except ValueError:
            pass
print("ready", flush=True)
while sys.stdin.readline():
    for _ in range(50):
        run()
    print("done", flush=True)
PY
start_waiting "${python_in[@]}" "$T/python3.11" "$T/octi.py"
run timeout 20 "$BIN/uflow" "$target_pid"
expect_status 1
expect_equal "$(wc -l <"$tool_err")" 1
expect_line "^uflow: process $target_pid \(python 3\.11\.[0-9]+\): in CPython 3\.11 .*; see ucalls\(1\)$" "$tool_err"

run_tool uflow --unsafe --json -C "$T" "$target_pid"
proceed
wait_done
stop_tool INT
expect_status 0
expect_line '^uflow: .*several times as long' "$tool_err"
count() { jq -r "select(.event == \"$1\") | \"\\(.depth) \\(.method)\"" "$tool_out" | sed "s,$T/,," | sort | uniq -c; }
expect_equal "$(count entry | tr -s ' ')" " 50 1 octi.py.run
 200 2 octi.py.fest"
expect_equal "$(count return)" "$(count entry)"

# The semaphore is 0 again: calls are no longer reported.
run_tool trace -p "$target_pid" "u:$T/python3.11:function__entry \"%s\" arg2"
proceed
wait_for "[ \$(grep -c done '$target_out') = 2 ]" 20
stop_tool INT
expect_no_line 'fest' "$tool_out"
