#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# Calls are also counted while one of Python's own debuggers or profilers is active, also in code
# that was executed before.
need_python_3_11
cat >"$T/traced.py" <<'END'
import cProfile, sys
def leaf(): return 1
def calls():
    for i in range(30): leaf()
print("ready", flush=True)
sys.stdin.readline()
calls()
sys.settrace(lambda *arguments: None); calls(); sys.settrace(None)
sys.setprofile(lambda *arguments: None); calls(); sys.setprofile(None)
cProfile.run("calls()")
calls()
END
mkfifo "$T/input"
exec 8<>"$T/input"
stdin=$T/input start_target_and_wait "${python_program[@]}" "$T/traced.py"
run_tool ucalls "$target_pid"
run_tool uflow -M leaf "$target_pid"
echo go >&8
wait_for "! alive $target_pid" 20
stop_tool
expect_status 0
expect_count 150 '-> .*leaf$' "$T/tool2.out"
wait_for "grep -q leaf '$T/tool1.out'" 20
expect_line 'traced\.py\.leaf +150$' "$T/tool1.out"
expect_line 'traced\.py\.calls +5$' "$T/tool1.out"
