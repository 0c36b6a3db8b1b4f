#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/gohttp.bash"

# Shows each request that a program serves, once, with HTTP/1 and HTTP/2, also if the handler
# panics.
expect_server "$program"

# Traces a running process by its PID, until the tool ends; then until the process ends.
start_target_and_wait "$program" serve
url=$(<"$target_out")
run_tool gohttp --server -p "$target_pid"
"$program" get "$url/one" "$url/missing" "$url/two"
stop_tool INT
expect_status 0
expect_equal "$(awk 'NR > 1 { print $3, $5, $6, $9 }' "$tool_out")" "web GET 200 ${url#http://}/one
web GET 404 ${url#http://}/missing
web GET 200 ${url#http://}/two"

run_tool gohttp --server "$program"
"$program" get "$url/three"
stop_target
stop_tool TERM
expect_status 0
expect_line ' GET +200 .*/three$' "$tool_out"
