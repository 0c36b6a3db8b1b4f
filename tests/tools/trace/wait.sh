#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# --wait: the probe does not exist yet when the tracer starts.
mkfifo "$T/lines"
exec 7<>"$T/lines"
stdin=$T/lines start_target_and_wait "$TARGETS/loader" memfd "$TARGETS/plugin"
run "$BIN/trace" -p "$target_pid" 'u::late:fire "%s" arg1'
expect_status 1
start_ "$T/out" "$T/err" "$BIN/trace" --wait -M 1 -p "$target_pid" 'u::late:fire "%s" arg1'
tool_pid=$pid tool_name=trace tool_out=$T/out tool_err=$T/err
wait_for "grep -q waiting '$T/err'" 10
echo go >&7
stop_tool
expect_status 0
expect_line 'loader +fire +octi$' "$tool_out"
