#!/bin/bash
# ring: first
source "$(dirname "$0")/../lib.sh"

# The kernel executes the instruction that the file has. Where the memory of a process has another one, there is no probe.
need_command jq
mkfifo "$T/lines"
exec {lines}<>"$T/lines"
changed() { # HOW
	stdin=$T/lines start_target_and_wait "$TARGETS/changed" "$1"
}
finish() {
	printf '\n\n' >&"$lines"
	wait_for "! alive $target_pid" 10
}

changed hook
run_tool funccount --json -p "$target_pid" "$TARGETS/changed:first" "$TARGETS/changed:second"
finish
stop_tool INT
expect_status 0
expect_line '^sum=61770$' "$target_out" # 60 calls of `second`
expect_line '^funccount: 1 of 2 functions are left out, as the program has changed them in its memory: first$' "$tool_err"
expect_no_line 'former file' "$tool_err" # it is the file's process, though one place has no breakpoint
# shellcheck disable=SC2016 # jq's
expect_equal "$(jq -c 'select(.type == "left_out") | [.count, .of, .reason, .first[0]]' "$tool_out")" \
	'[1,2,"the program has changed them in its memory","first"]'
expect_equal "$(jq -s 'map(select(.func == "second") | .count) | add' "$tool_out")" 60

# A copy of the code in anonymous memory never executes the file's.
changed copy
run "$BIN/funccount" -p "$target_pid" "$TARGETS/changed:second"
expect_status 1
expect_line "^funccount: process $target_pid runs a copy of .*/changed in anonymous memory, where no probe can be$" "$tool_err"
finish
expect_line '^sum=61770$' "$target_out"
