#!/bin/bash
# ring: first
# shares: signals
source "$(dirname "$0")/../../lib.sh"

# Shows every way to send a signal, with sender, receiver and result.
calls=(kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal)
run_tool killsnoop -w --comm signals -s USR1
read -r sender receiver _ < <("$TARGETS/signals" "${calls[@]}")
wait_for "[ \$(wc -l <'$tool_out') -eq 7 ]" 10
stop_tool INT
expect_status 0
expect_equal "$(awk 'NR > 1 { print $2, $3, $4, $5, $6, $7, $8, $9 }' "$tool_out")" \
	"$(for call in "${calls[@]}"; do echo "$sender signals 10 $receiver 0 $call 1 signals"; done)"
