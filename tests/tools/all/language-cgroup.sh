#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# With --cgroup-path or --unit, the language tools trace only the process in that cgroup, and not another one
# with the same name.
need_python
need_command jq
root=$(findmnt -nt cgroup2 -o TARGET | head -n 1)
[ -n "$root" ] && mkdir "$root/uscope-test$$.service" 2>/dev/null || skip 'cannot create a cgroup-v2 folder'
group=$root/uscope-test$$.service
at_exit "for try in {1..50}; do rmdir '$group' && break; sleep 0.02; done 2>/dev/null"
cat >"$T/worker.py" <<'PY'
import gc, sys, threading
def collect_young():
    gc.collect(1)
print("ready", flush=True)
for line in sys.stdin:
    for _ in range(7):
        collect_young()
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()
    print("done", flush=True)
PY
ln -s "$python_path" "$T/worker$$"
pids=()
mkfifo "$T/inside" "$T/outside"
exec 7<>"$T/inside" 8<>"$T/outside"
for name in inside outside; do
	stdin=$T/$name start_target_and_wait "${python_in[@]}" "$T/worker$$" "$T/worker.py"
	pids+=("$target_pid")
done
echo "${pids[0]}" >"$group/cgroup.procs"
at_exit "kill -KILL ${pids[0]}; wait ${pids[0]}"

rounds=0
trace_both() { # TOOL OPTION…; both processes work while the tool runs
	run_tool "$@"
	echo >"$T/inside"
	echo >"$T/outside"
	: $((rounds++))
	wait_for "[ \$(cat '$T'/target*.out | grep -c done) = $((rounds * 2)) ]" 20
	stop_tool INT
	expect_status 0
}
trace_both uflow --json -M collect_young --comm "worker$$" --cgroup-path "$group"
expect_equal "$(jq -r 'select(.event == "entry").pid' "$tool_out" | sort | uniq -c | tr -s ' ')" " 7 ${pids[0]}"
trace_both ucalls --json --comm "worker$$" --cgroup-path "$group"
expect_equal "$(jq -r 'select(.method == "collect_young").calls' "$tool_out")" 7
trace_both ugc --json --comm "worker$$" --cgroup-path "$group"
expect_equal "$(jq -r 'select(.pid).pid' "$tool_out" | sort | uniq -c | tr -s ' ')" " 7 ${pids[0]}"
trace_both ustat --json -i 0.2 --cgroup-path "$group"
expect_equal "$(jq -r 'select(.gcs > 0).pid' "$tool_out" | sort -u)" "${pids[0]}"

# The unit alone says which processes, and one of them has no runtime.
start_target sleep 1000
echo "$target_pid" >"$group/cgroup.procs"
at_exit "kill -KILL $target_pid; wait $target_pid"
trace_both uflow --json -M collect_young --unit "uscope-test$$"
expect_equal "$(jq -r 'select(.event == "entry").pid' "$tool_out" | sort | uniq -c | tr -s ' ')" " 7 ${pids[0]}"
trace_both ugc --json --unit "uscope-test$$"
expect_equal "$(jq -r 'select(.pid).pid' "$tool_out" | sort | uniq -c | tr -s ' ')" " 7 ${pids[0]}"
trace_both ustat --json -i 0.2 --unit "uscope-test$$"
expect_equal "$(jq -r 'select(.gcs > 0).pid' "$tool_out" | sort -u)" "${pids[0]}"
