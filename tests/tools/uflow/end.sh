#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/flow.bash"

# When uflow ends, it detaches its probes from the busy program one after the other. If it no
# longer traces a function's return but still traces calls, calls after that return seem to be
# inside the function: their depths are too large. No depth may be too large, up to the end.
need_python_3_11
need_command jq
cat >"$T/busy.py" <<'PY'
import threading
def inner(n): return n
def middle(n): return inner(n) + inner(n)
def outer(n): return middle(n) + middle(n)
def work():
    while True:
        outer(1)
threads = [threading.Thread(target=work, daemon=True) for _ in range(3)]
for thread in threads: thread.start()
print("ready", flush=True)
threads[0].join()
PY
start_target_and_wait "${python_program[@]}" "$T/busy.py"
for round in 1 2 3; do
	run_tool uflow --json --buffer 16M "$target_pid"
	wait_for "[ \"\$(grep -c event '$tool_out')\" -gt 500 ]" 20
	stop_tool INT
	expect_status 0
	wrong=$(jq -r 'select(.event == "entry") | {outer: 1, middle: 2, inner: 3}[.method | split(".") | last] as $most |
		select($most and .depth > $most) | "round '"$round"': \(.method) in depth \(.depth)"' "$tool_out")
	expect_equal "$wrong" ''
done
