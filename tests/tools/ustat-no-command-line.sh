#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/language.bash"

# A process without a command line, as one that ends just then: it is shown by its file's name.
need_command jq
cp "$TARGETS/runtime" "$T/ruby"
start_worker bash -c "exec -a '' '$T/ruby'"
run "$BIN/ustat" --json -i 0.1 -n 1 -p "$target_pid"
expect_status 0
expect_equal "$(jq -r "select(.pid == $target_pid).command" "$tool_out")" '[ruby]'
