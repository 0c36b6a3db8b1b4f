#!/bin/bash
# alone: it kills a tool, and the next tool anywhere would remove what that leaves
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/gohttp.bash"

# The tool is killed: the program goes on, and can be looked at again.
start_target_and_wait "$program" serve
url=$(<"$target_out")
run_tool gohttp --server -p "$target_pid"
"$program" get "$url/before"
stop_tool KILL
"$program" get "$url/between" "$url/panic"
run_tool gohttp --server --summary -p "$target_pid"
"$program" get "$url/after/1" "$url/after/2"

# The program is killed: what it did is shown.
stop_target KILL
stop_tool
expect_status 0
expect_line '^ +2 +0 .*/after/\*$' "$tool_out"
expect_count 2 . "$tool_out"
expect_no_line . "$target_err"
