#!/bin/bash
# shares: redis
# timeout: 180
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/otlp/otlp.bash"
need_command jq redis-benchmark

# A collector that is down, hangs, closes connections, answers garbage, 429 with Retry-After, or
# 400: commands are shown as usual, and what does not arrive is counted with its reason, in text and
# JSON. What is tried again arrives.
start_redis
start_collector
cli() { redis-cli -s "$redis_socket" "$@"; }
begin() { # URL
	rm -f "$collected"/*.bin
	run_tool rediscommands -p "$redis_pid" --json -c get --otlp "${1:-$collector}"
}
shows() { # COMMAND: it is shown at once
	cli get "$1" >"$T/answer"
	wait_for "grep -q '\"$1\"' '$tool_out'" 5
}
finish() {
	stop_tool INT
	expect_status 0
}
lost() { # REASON: one span, in text and in JSON
	expect_line "^rediscommands: lost 1 spans: $1\$" "$tool_err"
	expect_line "^\{\"type\":\"lost\",.*\"count\":1,\"what\":\"spans\",\"reason\":\"$1\"\}\$" "$tool_out"
}

for mode in hang close garbage; do
	echo "$mode" >"$collected/mode"
	begin
	shows "$mode-first"
	finish
	lost 'the collector had not taken them when the tool ended'
	[ "$mode" = hang ] || expect_line "^rediscommands: cannot send spans to $collector/v1/traces: " "$tool_err"
done

# It ends at once if nothing can be reached, and at a second Ctrl-C. (A signal that comes twice in half
# a second is one.)
end_us=4000000 # without that, it waits for 5 s
begin "http://127.0.0.1:1/other/path"
shows down
first=${EPOCHREALTIME//[.,]/}
finish
[ $((${EPOCHREALTIME//[.,]/} - first)) -lt $end_us ] || fail 'it waits for a collector that is down'
lost 'the collector had not taken them when the tool ended'
expect_line '^rediscommands: cannot send spans to http://127.0.0.1:1/other/path: cannot connect: Connection refused$' "$tool_err"

echo hang >"$collected/mode"
begin
shows again
first=${EPOCHREALTIME//[.,]/}
while alive "$tool_pid"; do
	kill -INT "$tool_pid" 2>/dev/null || break
	sleep 0.1
done
[ $((${EPOCHREALTIME//[.,]/} - first)) -lt $end_us ] || fail 'it waits although it was asked again'
finish
lost 'the collector had not taken them when the tool ended'

echo 400 >"$collected/mode"
begin
shows refused
finish
lost 'the collector refused them with status 400'

echo 404 >"$collected/mode"
begin
shows absent
finish
expect_line 'it answers 404 \(its OTLP receiver is not built in, not enabled, or has another path\)$' "$tool_err"

for mode in '429 2' 503 close; do
	echo "$mode" >"$collected/mode"
	begin
	before=$(<"$collected/requests")
	shows again
	wait_for "[ \"\$(cat '$collected/requests')\" -gt $before ]" 20
	first=${EPOCHREALTIME//[.,]/}
	echo ok >"$collected/mode"
	wait_for "[ -e '$collected'/*.bin ]" 40
	waited=$((${EPOCHREALTIME//[.,]/} - first))
	[ "$mode" != '429 2' ] || [ "$waited" -gt 1800000 ] || fail "Retry-After: 2, but it waited $waited us"
	finish
	expect_line '^rediscommands: sent 1 span to ' "$tool_err"
	expect_no_line 'lost ' "$tool_err"
	expect_equal "$(collected_spans | jq -r .name)" get
done
