#!/bin/bash
# shares: signals
source "$(dirname "$0")/../../lib.sh"

# BCC's columns, the formats of TIME, and what ends a run: a number of lines, a time, a signal.
width=$(($(tr -d '\n' </proc/sys/kernel/pid_max | wc -c) + 1))
run_tool killsnoop --comm signals -M 2
"$TARGETS/signals" kill ignored >"$T/out"
stop_tool
expect_status 0
read -r sender receiver _ <"$T/out"
sed -Ei 's/^[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6} /TT:TT:TT.TTTTTT /' "$tool_out"
expect_equal "$(cat "$tool_out")" \
	"$(printf '%-15s %-*s %-16s %-4s %-*s %s\n' TIME "$width" PID COMM SIG "$width" TPID RESULT \
		TT:TT:TT.TTTTTT "$width" "$sender" signals 10 "$width" "$receiver" 0 \
		TT:TT:TT.TTTTTT "$width" "$sender" signals 12 "$width" "$receiver" 0)"

for option in -t -u; do
	run_tool killsnoop "$option" --comm signals -s USR1
	"$TARGETS/signals" kill >"$T/out"
	stop_tool TERM
	expect_status 0
	time=$(awk 'NR == 2 { print int($1) }' "$tool_out")
	[ "$option" = -u ] || time=$((time + EPOCHSECONDS))
	[ $((EPOCHSECONDS - time)) -lt 60 ] && [ $((time - EPOCHSECONDS)) -lt 60 ] || fail "$option: $time"
	expect_line '^[0-9]+\.[0-9]{6} ' "$tool_out"
done

run "$BIN/killsnoop" -d 0.1 --comm nobody
expect_status 0
expect_count 1 '' "$tool_out"
