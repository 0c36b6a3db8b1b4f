#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# The perf map of code in a container may be outside: agents on the host write it with the host's
# PID.
need_command unshare
mkdir "$T/own"
cp "$TARGETS/jit" "$T/own/"
start_target unshare --mount --pid --fork --mount-proc --kill-child sh -c "mount --bind '$T/own' /tmp && exec /tmp/jit"
wait_for "[ -s '$target_out' ]" 10
inner=$(pgrep -P "$target_pid")
at_exit "rm -f /tmp/perf-$inner.map"
expect_names() { # FILE ARG…
	run "$BIN/trace" -M 1 -d 20 -U "${@:2}" "$1:called_by_jit"
	expect_status 0
	expect_line '^        Octi::fest\(\)\+0x' "$tool_out"
}
expect_names /tmp/jit -p "$inner"
[ -e "$T/own/perf-1.map" ] || fail 'the process has not written its map there'
mv "$T/own/perf-1.map" "/tmp/perf-$inner.map"
expect_names /tmp/jit -p "$inner"
