#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# The map of code made in a container may stand outside: agents of the machine write it by the process's id there.
need_command unshare
mkdir "$T/own"
cp "$TARGETS/jit" "$T/own/"
start_target unshare --mount --pid --fork --mount-proc --kill-child sh -c "mount --bind '$T/own' /tmp && exec /tmp/jit"
wait_for "[ -s '$target_out' ]" 10
inner=$(pgrep -P "$target_pid")
at_exit "rm -f /tmp/perf-$inner.map"
names_it() { # FILE ARG…
	run "$BIN/trace" -M 1 -d 20 -U "${@:2}" "$1:called_by_jit"
	expect_status 0
	expect_line '^        Octi::fest\(\)\+0x' "$tool_out"
}
names_it /tmp/jit -p "$inner"
[ -e "$T/own/perf-1.map" ] || fail 'the process writes its map elsewhere'
mv "$T/own/perf-1.map" "/tmp/perf-$inner.map"
names_it /tmp/jit -p "$inner"
