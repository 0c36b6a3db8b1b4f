#!/bin/bash
# privileges: none
source "$(dirname "$0")/../../lib.sh"

# An error in a long text is shown with its surroundings (the other cases: tests/usage/trace).
long=$(printf '%60000s' '' | tr ' ' x)
run "$BIN/trace" "c:open (\"$long\" == arg1 && ?) \"$long\""
expect_status 2
expect_equal "$(wc -l <"$tool_err")" 3
[ "$(wc -c <"$tool_err")" -lt 500 ] || fail 'the whole text is shown'
column=$(tail -n 1 "$tool_err" | wc -c)
expect_equal "$(sed -n 2p "$tool_err" | cut -c "$((column - 1))-$((column))")" '?)'
run "$BIN/trace" "c:$long"
expect_status 1
[ "$(wc -c <"$tool_err")" -lt 1500 ] || fail 'the whole name is shown'
