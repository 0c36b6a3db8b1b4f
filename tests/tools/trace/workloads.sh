#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/cgroups.bash"

# --container, --pod and --unit trace only the processes in such cgroups, also in those that are made
# later. A container's processes may be in cgroups inside its own.
need_command jq
make_slice
pod_id=$(sha256sum <<<"$id" | cut -c1-64)
pod=kubepods-burstable.slice/kubepods-burstable-pod${uid//-/_}.slice
flood() { # CGROUP; starts a target in it, and sets `target_pid`
	mkdir -p "$slice/$1"
	start_target_and_wait "$TARGETS/flood" 1 100000 5
	echo "$target_pid" >"$slice/$1/cgroup.procs"
	at_exit "kill -KILL $target_pid; wait $target_pid"
}
flood uscope$$.service
in_unit=$target_pid
flood "docker-$id.scope/init"
in_docker=$target_pid
flood "$pod/cri-containerd-$pod_id.scope"
in_pod=$target_pid
flood "machine-box$$.scope/payload/inner.service"
in_machine=$target_pid

traced() { # EXPECTED_PIDS OPTION…
	run "$BIN/trace" -M 40 "${@:2}" "$TARGETS/flood:flood"
	expect_status 0
	expect_equal "$(awk '$4 == "flood" { print $1 }' "$tool_out" | sort -u | xargs)" "$1"
}
traced "$in_docker" --container "$id"
traced "$in_docker" --container "${id:0:12}"
traced "$in_machine" --container "box$$"
traced "$(printf '%s\n' "$in_docker" "$in_machine" | sort | xargs)" --container "box$$,${id:0:12}"
traced "$in_pod" --pod "$uid"
traced "$in_pod" --pod "$uid" --container "$pod_id"
traced "$in_unit" --unit "uscope$$.service"
traced "$in_unit" --unit "uscope$$"
traced "$in_machine" --unit "inner.service" --container "box$$"
traced "$in_docker" --container "$id" -p "$in_docker,$in_unit"
# Programs that read memory may sleep, those of killsnoop are written in C, and that of profile runs
# in an interrupt.
run "$BIN/trace" -M 1 --container "$id" "$TARGETS/flood:flood \"%lx\" *(long *)reg(\"sp\")"
expect_line "^$in_docker " "$tool_out"
run "$BIN/funccount" -d 1 -P --json --container "$id" "$TARGETS/flood:flood"
expect_equal "$(jq -r 'select(.count > 0).pid' "$tool_out")" "$in_docker"
start_target_and_wait "$TARGETS/spin"
spinning=$target_pid
echo "$spinning" >"$slice/docker-$id.scope/init/cgroup.procs"
run "$BIN/profile" -d 1 -F 999 --json --container "$id"
expect_equal "$(jq -r 'select(.pid).pid' "$tool_out" | grep -vx "$in_docker" | sort -u)" "$spinning"
stop_target KILL

# Containers that start later, again, and one in a container.
run_tool trace --json --container "box$$,$id" "$TARGETS/flood:flood"
flood "docker-$id.scope/machine-nested.scope"
nested=$target_pid
flood "other.slice/machine-box$$.scope"
again=$target_pid
flood "other.slice/machine-other$$.scope"
other=$target_pid
for pid in "$nested" "$again"; do
	wait_for "grep -q '\"pid\":$pid,' '$tool_out'" 20
done
stop_tool INT
expect_status 0
! grep -q "\"pid\":$other," "$tool_out" || fail 'traced another container'

# What is not there, or not together.
run "$BIN/trace" --container "no$$" "$TARGETS/flood:flood"
expect_status 1
expect_line "^trace: there is no container no$$; running are: .*${id:0:12}" "$tool_err"
expect_equal "$(wc -l <"$tool_err")" 1
run "$BIN/trace" --unit "no$$" "$TARGETS/flood:flood"
expect_status 1
expect_line "^trace: there is no unit no$$; running are: " "$tool_err"
run "$BIN/trace" --pod "no$$" "$TARGETS/flood:flood"
expect_status 1
expect_line "^trace: there is no pod no$$; running are: " "$tool_err"
run "$BIN/trace" --container "box$$" --unit "uscope$$" "$TARGETS/flood:flood"
expect_status 1
expect_equal "$(<"$tool_err")" "trace: no process is in container box$$ in unit uscope$$"

# Programs can look up no cgroup of version 1: the processes of now are traced.
cat >"$T/first-version" <<'SH'
mount -t cgroup -o none,name=uscope-workloads none "$1" || exit 77
mkdir -p "$1/docker/$2"
echo "$3" >"$1/docker/$2/cgroup.procs"
"$4" -M 20 --container "$2" "$5:flood"
status=$?
echo "$3" >"$1/cgroup.procs"
rmdir "$1/docker/$2" "$1/docker"
exit $status
SH
mkdir "$T/v1"
old_id=$(sha256sum <<<"$pod_id" | cut -c1-64)
run unshare -m bash "$T/first-version" "$T/v1" "$old_id" "$in_unit" "$BIN/trace" "$TARGETS/flood"
if [ "$tool_status" -ne 77 ]; then # kernels may lack cgroup v1
	expect_status 0
	expect_line "^trace: container $old_id has no cgroup of version 2" "$tool_err"
	expect_equal "$(awk '$4 == "flood" { print $1 }' "$tool_out" | sort -u)" "$in_unit"
fi
