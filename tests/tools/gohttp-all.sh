#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/gohttp.bash"

# Every Go program: those that run, and those that start later, once they are seen.
start_program() { # NAME
	cp "$program" "$T/$1"
	start_target_and_wait "$T/$1" serve
	url=$(<"$target_out")
}
start_program before
first_url=$url
run_tool gohttp --all --server --path /wanted
start_program later
"$program" get "$first_url/wanted/before"
# Attaching takes a moment.
wait_for "'$program' get '$url/wanted/later'; grep -q /wanted/later '$tool_out'" 20
stop_tool INT
expect_status 0
expect_count 1 ' before +[0-9]+ +GET +200 .*/wanted/before$' "$tool_out"
expect_line ' later +[0-9]+ +GET +200 .*/wanted/later$' "$tool_out"
expect_no_line . "$tool_err"
