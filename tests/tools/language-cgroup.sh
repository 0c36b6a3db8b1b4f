#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# The language tools with --cgroup-path: of two processes with one name, only the one in that folder
# is traced.
need_python
need_command jq
root=$(findmnt -nt cgroup2 -o TARGET | head -n 1)
[ -n "$root" ] && mkdir "$root/uscope-test.$$" 2>/dev/null || skip 'cannot create a cgroup-v2 folder'
group=$root/uscope-test.$$
at_exit "for try in {1..50}; do rmdir '$group' && break; sleep 0.02; done 2>/dev/null"
cat >"$T/octi.py" <<'PY'
import gc, sys, threading
def fest():
    gc.collect(1)
print("ready", flush=True)
for line in sys.stdin:
    for _ in range(7):
        fest()
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()
    print("done", flush=True)
PY
ln -s "$python_path" "$T/octi$$"
pids=()
mkfifo "$T/inside" "$T/outside"
exec 7<>"$T/inside" 8<>"$T/outside"
for name in inside outside; do
	stdin=$T/$name start_target_and_wait "${python_in[@]}" "$T/octi$$" "$T/octi.py"
	pids+=("$target_pid")
done
echo "${pids[0]}" >"$group/cgroup.procs"
at_exit "kill -KILL ${pids[0]}; wait ${pids[0]}"

rounds=0
traced() { # TOOL OPTION…; both processes work while it runs
	run_tool "$@"
	echo >"$T/inside"
	echo >"$T/outside"
	: $((rounds++))
	wait_for "[ \$(cat '$T'/target*.out | grep -c done) = $((rounds * 2)) ]" 20
	stop_tool INT
	expect_status 0
}
traced uflow --json -M fest --comm "octi$$" --cgroup-path "$group"
expect_equal "$(jq -r 'select(.event == "entry").pid' "$tool_out" | sort | uniq -c | tr -s ' ')" " 7 ${pids[0]}"
traced ucalls --json --comm "octi$$" --cgroup-path "$group"
expect_equal "$(jq -r 'select(.method == "fest").calls' "$tool_out")" 7
traced ugc --json --comm "octi$$" --cgroup-path "$group"
expect_equal "$(jq -r 'select(.pid).pid' "$tool_out" | sort | uniq -c | tr -s ' ')" " 7 ${pids[0]}"
traced ustat --json -i 0.2 --cgroup-path "$group"
expect_equal "$(jq -r 'select(.gcs > 0).pid' "$tool_out" | sort -u)" "${pids[0]}"
