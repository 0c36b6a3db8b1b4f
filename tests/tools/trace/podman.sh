#!/bin/bash
# timeout: 240
# shares: podman trixie ustat
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"
source "$(dirname "$0")/../ustat/ustat.bash"
source "$(dirname "$0")/container.bash"

# A program in a podman container, traced from outside: with the container's files and the host's
# PIDs.
need_command jq
need_podman
debian_root trixie python3.13
cp "$scripts/work.py" "$T"
start_worker "${podman_run[@]}" --pidfile "$T/pid" --volume "$T/work.py:/work.py:ro" --rootfs "$root:O" \
	python3.13 /work.py
inner=$(<"$T/pid")
target_pid=$inner
expect_equal "$(tr '\0' ' ' <"/proc/$inner/cmdline")" 'python3.13 /work.py '

run "$BIN/tplist" -p "$inner" 'python:gc__*'
expect_status 0
expect_line '^/usr/bin/python3.13 python:gc__start$' "$tool_out"

run_tool trace -M 1 -p "$inner" 'c:write(int fd, char *text, size_t size) "%d %ld", fd, size'
work calls
stop_tool
expect_status 0
expect_line "^$inner +$inner +python3.13 +write +1 5\$" "$tool_out"

run_tool ustat --json -i 0.1
work collect
wait_for "[ \"\$(jq -s 'map(select(.pid == $inner) | .gcs) | add' '$tool_out')\" -ge 1 ]" 20
stop_tool INT
expect_status 0
expect_equal "$(jq -s "map(select(.pid == $inner))[0].language" "$tool_out")" '"python"'
