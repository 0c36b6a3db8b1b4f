#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# A probe in a library without a path that a running program loads: a memfd, an unlinked file.
mkfifo "$T/lines"
exec 7<>"$T/lines"
for kind in memfd unlinked file; do
	stdin=$T/lines start_target_and_wait "$TARGETS/loader" "$kind" "$TARGETS/plugin"
	echo go >&7
	wait_for "grep -q loaded '$target_out'" 10
	run "$BIN/tplist" -p "$target_pid" 'late:*'
	expect_status 0
	expect_count 1 ' late:fire$' "$tool_out"
	run_tool trace -M 2 -p "$target_pid" 'u::late:fire "%s %d" arg1, arg2'
	stop_tool
	expect_status 0
	expect_count 2 'loader +fire +octi [0-9]+$' "$tool_out"
	stop_target KILL
done
