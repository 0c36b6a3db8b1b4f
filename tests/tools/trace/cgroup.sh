#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# -c FOLDER traces only processes in a cgroup, also in folders inside it.
root=$(findmnt -nt cgroup2 -o TARGET | head -n 1)
[ -n "$root" ] && mkdir "$root/uscope-test.$$" 2>/dev/null || skip 'cannot create a cgroup-v2 folder'
group=$root/uscope-test.$$
at_exit "for try in {1..50}; do rmdir '$group/inner' '$group' && break; sleep 0.02; done 2>/dev/null"
mkdir "$group/inner"
start_target_and_wait "$TARGETS/flood" 1 100000 5
outside=$target_pid
start_target_and_wait "$TARGETS/flood" 1 100000 5
inside=$target_pid
echo "$inside" >"$group/inner/cgroup.procs"
at_exit "kill -KILL $inside; wait $inside"

run "$BIN/trace" -M 20 -c "$group" "$TARGETS/flood:flood"
expect_status 0
expect_equal "$(awk '$4 == "flood" { print $1 }' "$tool_out" | sort -u)" "$inside"
run "$BIN/trace" -M 40 "$TARGETS/flood:flood"
expect_line "^$outside " "$tool_out"

# Also with values read from the program's memory.
run "$BIN/trace" -M 1 -c "$group" "$TARGETS/flood:flood \"%lx\" *(long *)reg(\"sp\")"
expect_status 0
expect_line "^$inside " "$tool_out"

run "$BIN/trace" --cgroup-path /tmp "$TARGETS/flood:flood"
expect_status 1
expect_line '^trace: /tmp is no' "$tool_err"
expect_equal "$(wc -l <"$tool_err")" 1

# -c takes a folder or a command; a folder that does not exist is not taken for a command.
run "$BIN/trace" --cgroup-path /nonexistent "$TARGETS/flood:flood"
expect_status 1
expect_equal "$(cat "$tool_err")" 'trace: cannot examine the cgroup /nonexistent: No such file or directory'
run "$BIN/trace" -c "$root/nonexistent" "$TARGETS/flood:flood"
expect_status 1
expect_equal "$(cat "$tool_err")" \
	"trace: -c $root/nonexistent: no such cgroup-v2 folder and no such program"
run "$BIN/trace" -c "$group" --cgroup-path "$group" "$TARGETS/flood:flood"
expect_status 2

# A folder of cgroup v1 has no ID that a BPF program could ask for.
cat >"$T/first-version" <<'SH'
mount -t cgroup -o none,name=uscope-test none "$1" || exit 77
mkdir "$1/inner"
"$2" --cgroup-path "$1/inner" "$3:flood"
status=$?
rmdir "$1/inner"
exit $status
SH
mkdir "$T/v1"
run unshare -m bash "$T/first-version" "$T/v1" "$BIN/trace" "$TARGETS/flood"
if [ "$tool_status" -ne 77 ]; then # kernels may lack cgroup v1
	expect_status 1
	expect_line "^trace: $T/v1/inner is not a cgroup-v2 folder .*findmnt -t cgroup2" "$tool_err"
fi
