#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Measures calls of several functions, by function, with each attach method.
target=$TARGETS/calls
for path in session multi tracefs perf; do
	run_tool funclatency -F --force-path "$path" "$target:plain" "$target:recursive" "$target:slow"
	"$target" 2 plain:200 recursive:30 slow:4
	stop_tool INT
	expect_status 0
	expect_equal "$(sed -nE 's/^Function = ([a-z]+) .*/\1/p; s/^avg = .*count: //p' "$tool_out" | xargs)" \
		'slow 8 recursive 60 plain 400 468'
done
