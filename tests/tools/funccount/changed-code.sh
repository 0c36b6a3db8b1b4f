#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# A uprobe executes the instruction from the file. If a process has a different instruction in
# memory, that site gets no probe.
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
expect_line '^funccount: skipped 1 of 2 functions: the program has changed them in its memory: first$' "$tool_err"
expect_no_line 'older copy' "$tool_err" # the process does run the file; only one site has no probe
# shellcheck disable=SC2016 # variables of jq
expect_equal "$(jq -c 'select(.type == "left_out") | [.count, .of, .reason, .first[0]]' "$tool_out")" \
	'[1,2,"the program has changed them in its memory","first"]'
expect_equal "$(jq -s 'map(select(.func == "second") | .count) | add' "$tool_out")" 60

# A copy of the code in anonymous memory never executes the file's code.
changed copy
run "$BIN/funccount" -p "$target_pid" "$TARGETS/changed:second"
expect_status 1
expect_line "^funccount: process $target_pid runs a copy of .*/changed in anonymous memory, which cannot be probed$" "$tool_err"
finish
expect_line '^sum=61770$' "$target_out"
