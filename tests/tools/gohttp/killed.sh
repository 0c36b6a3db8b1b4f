#!/bin/bash
# alone: it kills a tool, and any tool that starts next would remove the leftover probes
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/gohttp.bash"

# After the tool is killed, the program continues and can be traced again.
start_target_and_wait "$program" serve
url=$(<"$target_out")
run_tool gohttp --server -p "$target_pid"
"$program" get "$url/before"
stop_tool KILL
"$program" get "$url/between" "$url/panic"
run_tool gohttp --server --summary -p "$target_pid"
"$program" get "$url/after/1" "$url/after/2"

# After the program is killed, its requests are shown.
stop_target KILL
stop_tool
expect_status 0
expect_line '^ +2 +0 .*/after/\*$' "$tool_out"
expect_count 2 . "$tool_out"
expect_no_line . "$target_err"
