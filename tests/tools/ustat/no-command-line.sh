#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# A process whose command line is empty, such as one that is just ending, is shown with the name of
# its program file.
need_command jq
cp "$TARGETS/runtime" "$T/ruby"
start_worker bash -c "exec -a '' '$T/ruby'"
run "$BIN/ustat" --json -i 0.1 -n 1 -p "$target_pid"
expect_status 0
expect_equal "$(jq -r "select(.pid == $target_pid).command" "$tool_out")" '[ruby]'
