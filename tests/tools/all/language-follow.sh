#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# The language tools trace the processes that a shell, which runs no language itself, has started or
# starts later.
need_python_3_11
need_command jq
cat >"$T/octi.py" <<'PY'
import gc, sys
def fest():
    gc.collect(1)
print("ready", flush=True)
for line in sys.stdin:
    for _ in range(7):
        fest()
    print("done", flush=True)
PY
mkfifo "$T/first"
exec 8<>"$T/first"
# shellcheck disable=SC2016 # the traced shell expands them
start_worker bash -c '"${@:2}" <"$1" & while read -r _; do "${@:2}" <<<x; done' shell "$T/first" "${python_program[@]}" "$T/octi.py"

follow() { # TOOL ARG…
	run_tool "$@" --json --follow-forks -p "$target_pid"
	echo >&8
	work start-another
	wait_for "[ \$((\$(grep -c done '$target_out') % 2)) = 0 ]" 20
	stop_tool INT
	expect_status 0
}
follow ucalls
expect_equal "$(jq -s 'map(select(.method | endswith("fest")).calls) | add' "$tool_out")" 14
follow uflow -M fest
expect_count 14 '"event":"entry"' "$tool_out"
follow ugc
expect_equal "$(jq -r 'select(.collection == "gen 1" and .pid).pid' "$tool_out" | sort | uniq -c | awk '$1 >= 7' | wc -l)" 2

start_target sleep 1000
run "$BIN/ugc" --follow-forks -p "$target_pid"
expect_status 1
expect_line 'runs none of these languages: .*; and no process that it started runs one: start the program first$' "$tool_err"
