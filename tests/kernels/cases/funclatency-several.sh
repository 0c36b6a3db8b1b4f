# shellcheck shell=sh
. /kernels/lib.sh

# Returns of several functions are measured separately, although their probes see the caller's address.
run_tool funclatency -F /targets/calls:plain /targets/calls:recursive /targets/calls:slow
/targets/calls 2 plain:200 recursive:30 slow:4
stop_tool TERM
expect_equal "$(sed -nE 's/^Function = ([a-z]+) .*/\1/p; s/^avg = .*count: //p' "$tool_out" | xargs)" \
	'slow 8 recursive 60 plain 400 468'
