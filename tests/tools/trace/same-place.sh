#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Probes at one site print in the order of the command line, with each attach method: functions,
# returns, USDT probes.
order_of() { # WANTED OPTION… PROBE…
	run "$BIN/trace" "${@:2}"
	expect_status 0
	expect_equal "$(sed -n 's/.* \([a-z]*\)$/\1/p' "$tool_out" | xargs)" "$1"
}
calls=$TARGETS/calls
for path in multi tracefs perf; do
	order_of 'first second third first second third' --force-path $path "$calls:plain \"first\"" "$calls:plain (arg1 >= 0) \"second\"" \
		"p:$calls:plain \"third\"" --exec -- "$calls" 1 plain:2
done
order_of 'first second third' "r:$calls:plain \"first\"" "r:$calls:plain \"second\"" "r:$calls:plain \"third\"" --exec -- "$calls" 1 plain:1
order_of 'first second' --force-return probe "r:$calls:plain \"first\"" "r:$calls:plain \"second\"" --exec -- "$calls" 1 plain:1
order_of 'first second third' --force-return probe "r:$calls:plain \"first\"" "r:$calls:plain (\$latency > 0) \"second\"" \
	"r:$calls:plain (\$entry(arg1) >= 0) \"third\"" --exec -- "$calls" 1 plain:1
order_of 'first second' "u:$TARGETS/operands:none \"first\"" "u:$TARGETS/operands:none \"second\"" --exec -- "$TARGETS/operands"
order_of 'first second' 't:sched:sched_process_exec "first"' 't:sched:sched_process_exec "second"' --exec -- "$calls" 1 plain:1
