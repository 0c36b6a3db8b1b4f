#!/bin/bash
# timeout: 240
# shares: podman
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/container.bash"

# The tools themselves in podman's containers: with privileges they trace, without they name the
# missing ones.
need_podman
program=$TARGETS/stacks-static
run_in_container() { # OPTION… -- TOOL ARG…
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	run "${podman_run[@]}" "${options[@]}" --volume "$BIN:/tools:ro" --volume "$program:/program:ro" \
		--rootfs "$T/empty:O" "/tools/$2" "${@:3}"
	tool_name=$2
}
refused() { # MESSAGE OPTION… -- TOOL ARG…
	run_in_container "${@:2}"
	expect_status 1
	expect_line "^$tool_name: .*$1" "$tool_err"
	expect_equal "$(grep -c "^$tool_name: " "$tool_err")" 1
}
own=(/program:work --exec -- /program)

run_in_container --privileged -- trace -M 1 "${own[@]}"
expect_status 0
expect_line ' program +work$' "$tool_out"
expect_equal "$(cat "$tool_err")" ''
# The tool mounts tracefs only for itself; processes outside of the container cannot be told apart.
run_in_container --privileged -- trace -M 1 -d 20 --exec 't:sched:sched_process_exit' -- /program
expect_status 0
expect_line ' sched_process_exit' "$tool_out"
run_in_container --privileged -- funccount -d 0.1 /program:work
expect_line '^funccount: in this pid namespace .* PID 0 or skipped; .* --pid=host$' "$tool_err"
run_in_container --privileged --pid=host -- trace -d 0.1 /program:work
expect_status 0
expect_equal "$(cat "$tool_err")" 'trace: no probe fired in the traced processes'
run_in_container --cap-add=BPF --cap-add=PERFMON --security-opt seccomp=unconfined -- trace -M 1 "${own[@]}"
expect_status 0
expect_line ' program +work$' "$tool_out"

refused 'cap_bpf and cap_perfmon: .* --cap-add=bpf --cap-add=perfmon --security-opt seccomp=unconfined$' \
	-- trace "${own[@]}"
refused 'seccomp filter refuses bpf\(\): .*--security-opt seccomp=unconfined' \
	--cap-add=BPF --cap-add=PERFMON -- trace "${own[@]}"
refused 'CAP_SYS_PTRACE; start the container with --cap-add=SYS_PTRACE$' \
	--cap-add=BPF --cap-add=PERFMON --security-opt seccomp=unconfined --pid=host -- trace -p $$ c:read
run_in_container --cap-add=SYS_PTRACE --cap-add=BPF --cap-add=PERFMON --security-opt seccomp=unconfined --pid=host -- \
	trace -d 0.1 -p $$ c:read
expect_status 0
refused '-v /sys/kernel/tracing:/sys/kernel/tracing$' \
	--cap-add=BPF --cap-add=PERFMON --security-opt seccomp=unconfined -- trace --exec t:sched:sched_process_exit -- /program
