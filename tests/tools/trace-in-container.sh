#!/bin/bash
# timeout: 240
# shares: podman
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/container.bash"

# The tools themselves in podman's containers: with privileges they trace, without they say what is missing.
need_podman
program=$TARGETS/stacks-static
within() { # OPTION… -- TOOL ARG…
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
	within "${@:2}"
	expect_status 1
	expect_line "^$tool_name: .*$1" "$tool_err"
	expect_equal "$(grep -c "^$tool_name: " "$tool_err")" 1
}
own=(/program:work --exec -- /program)

within --privileged -- trace -M 1 "${own[@]}"
expect_status 0
expect_line ' program +work$' "$tool_out"
expect_equal "$(cat "$tool_err")" ''
# Its tracefs is mounted for the tool alone; what is outside of the container is not told apart.
within --privileged -- trace -M 1 -d 20 --exec 't:sched:sched_process_exit' -- /program
expect_status 0
expect_line ' sched_process_exit' "$tool_out"
within --privileged -- funccount -d 0.1 /program:work
expect_line '^funccount: in a pid namespace .* PID 0 or left out; .* --pid=host$' "$tool_err"
within --privileged --pid=host -- trace -d 0.1 /program:work
expect_status 0
expect_equal "$(cat "$tool_err")" 'trace: nothing has fired in the processes that are traced'
within --cap-add=BPF --cap-add=PERFMON --security-opt seccomp=unconfined -- trace -M 1 "${own[@]}"
expect_status 0
expect_line ' program +work$' "$tool_out"

refused 'cap_bpf and cap_perfmon: .* --cap-add=bpf --cap-add=perfmon --security-opt seccomp=unconfined$' \
	-- trace "${own[@]}"
refused 'seccomp filter refuses bpf\(\): .*--security-opt seccomp=unconfined' \
	--cap-add=BPF --cap-add=PERFMON -- trace "${own[@]}"
refused 'CAP_SYS_PTRACE; docker and podman have --cap-add=SYS_PTRACE$' \
	--cap-add=BPF --cap-add=PERFMON --security-opt seccomp=unconfined --pid=host -- trace -p $$ c:read
within --cap-add=SYS_PTRACE --cap-add=BPF --cap-add=PERFMON --security-opt seccomp=unconfined --pid=host -- \
	trace -d 0.1 -p $$ c:read
expect_status 0
refused '-v /sys/kernel/tracing:/sys/kernel/tracing$' \
	--cap-add=BPF --cap-add=PERFMON --security-opt seccomp=unconfined -- trace --exec t:sched:sched_process_exit -- /program
