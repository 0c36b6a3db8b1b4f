#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/flow.bash"

# With a buffer that is too small, shown and lost events together are all events. Each thread's loss
# is reported at its position, and the shown events still form a tree.
need_php
need_command jq
write_php
start_waiting env USE_ZEND_DTRACE=1 "${php_program[@]}" "$T/octi.php" 2000
run_tool uflow --json --buffer 4K "$target_pid"
proceed
wait_done
stop_tool INT
expect_status 0
shown=$(jq -s 'map(select(.event == "entry" or .event == "return")) | length' "$tool_out")
lost=$(sed -n 's/^uflow: .* events, \([0-9]*\) lost$/\1/p' "$tool_err")
[ "$lost" -gt 0 ] || fail 'nothing was lost'
expect_equal "$((shown + lost))" $((2000 * 2 * 5))
expect_line "^\{\"type\":\"lost\",\"time_ns\":[0-9]+,\"count\":[0-9]+,\"pid\":$target_pid,\"tid\":$target_pid\}\$" "$tool_out"
# A method has its own depth, whatever was lost around it; each return has an entry.
expect_equal "$(jq -r 'select(.event) | "\(.depth) \(.method)"' "$tool_out" | sort -u | sort -n)" '1 plain
2 Octi.run
3 Octi.fest'
expect_equal "$(jq -rn 'reduce inputs as $e ([]; if $e.event == "entry" then . + [$e.method]
	elif $e.event == "unseen" or $e.duration_ns then if .[-1] == $e.method then .[:-1] else . + ["wrong"] end
	else . end) | map(select(. == "wrong")) | length' "$tool_out")" 0
