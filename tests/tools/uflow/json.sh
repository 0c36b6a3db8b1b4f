#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/flow.bash"

# One object per event, with the values of the text output.
need_php
need_command jq
write_php
before=$(date +%s)
start_waiting env USE_ZEND_DTRACE=1 "${php_program[@]}" "$T/octi.php" 1
run_tool uflow --json "$target_pid"
proceed
wait_done
stop_tool INT
expect_status 0
expect_equal "$(jq -c 'select(.type) | [.type, .events, .shown, .lost]' "$tool_out")" '["end",10,10,0]'
expect_equal "$(jq -c 'select(.event) | [.pid, .tid, .event, .depth, .method, (.duration_ns | type)]' "$tool_out")" \
	"$(while read -r event depth method duration; do
		echo "[$target_pid,$target_pid,\"$event\",$depth,\"$method\",\"$duration\"]"
	done <<'TEXT'
entry 1 plain null
entry 2 Octi.run null
entry 3 Octi.fest null
return 3 Octi.fest number
entry 3 Octi.fest null
return 3 Octi.fest number
entry 3 Octi.fest null
return 3 Octi.fest number
return 2 Octi.run number
return 1 plain number
TEXT
)"
expect_equal "$(jq -s "[.[] | .time_ns / 1e9 | select(. < $before or . > now + 1)] | length" "$tool_out")" 0
