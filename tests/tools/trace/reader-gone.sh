#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# The reader of the output never reads, and then closes the pipe: each event was written or counts
# as lost. A SIGPIPE that another process sends ends a tool like other signals.
at_exit "rm -f '$T'/tool*.out"
for form in '' --json; do
	output=$T/tool$((tools_started + 1)).out
	mkfifo "$output"
	start_target_and_wait bash -c "exec 6<>'$output'; echo ready; exec sleep 300"
	# shellcheck disable=SC2086
	run_tool trace $form --buffer 64K "$TARGETS/flood:flood \"%d\", arg2"
	run "$TARGETS/flood" 4 10000
	expect_status 0
	tool_err=$T/tool$((tools_started - 1)).err
	stop_target KILL
	stop_tool
	expect_status 0
	expect_line '^trace: [0-9]+ events, [0-9]+ lost$' "$tool_err"
	expect_equal "$(sed -nE 's/^trace: ([0-9]+) events, ([0-9]+) lost$/\1 \2/p' "$tool_err" | awk '{ print $1 + $2 }')" 40000
	rm "$output"
done

for tool in 'trace' 'funccount'; do
	run_tool $tool "$TARGETS/flood:flood"
	stop_tool PIPE
	expect_status 0
done
