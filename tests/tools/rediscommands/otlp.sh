#!/bin/bash
# ring: first
# shares: redis
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/otlp/otlp.bash"
need_command jq

# A span for each command, in protobuf to a collector and in JSON to a file, without values. Both
# have what --json has.
start_redis
start_collector
unset OTEL_SERVICE_NAME
export OTEL_RESOURCE_ATTRIBUTES=deployment.environment.name=test%20ring OTEL_EXPORTER_OTLP_HEADERS=x-key=of%20mine
run_tool rediscommands -p "$redis_pid" --json --otlp "$collector"
sent_pid=$tool_pid sent_out=$tool_out sent_err=$tool_err
run_tool rediscommands -p "$redis_pid" --json --otlp "$T/spans.json"
wrote_pid=$tool_pid wrote_err=$tool_err
{
	for i in {1..50}; do echo "set key$i of-a-user"; done
	echo 'lpush key1 x'
	echo 'get key1'
} | redis-cli -s "$redis_socket" >"$T/answers" || true
wait_for "grep -q '\"get\"' '$sent_out'" 20
for tool_pid in "$sent_pid" "$wrote_pid"; do
	stop_tool INT
	expect_status 0
done
commands=$(wc -l <"$sent_out")
[ "$commands" -ge 52 ] || fail "$commands commands"
expect_line "^rediscommands: sent $commands spans to http://127.0.0.1:[0-9]+/v1/traces\$" "$sent_err"
expect_line "^rediscommands: wrote $commands spans to $T/spans.json\$" "$wrote_err"
expect_line '^/v1/traces application/x-protobuf [0-9]+ x-key=of mine$' "$collected/log"

collected_spans >"$T/sent"
/usr/bin/python3 "$ROOT/tests/otlp/decode" "$T/spans.json" >"$T/wrote"
plain() { jq -cS 'del(.trace, .span, .start)' "$1"; }
expect_equal "$(plain "$T/sent" | sort)" "$(plain "$T/wrote" | sort)"
expect_equal "$(jq -s 'map(.span) | unique | length' "$T/sent")" "$commands"
# jq rounds times of today
expect_equal "$(jq -r '"\(.start) \(.took)"' "$T/sent" | sort)" \
	"$(sed -E 's/^\{"time_ns":([0-9]+),.*"latency_ns":([0-9]+),.*/\1 \2/' "$sent_out" | sort)"
expect_no_line 'of-a-user|key1' "$T/sent"
expect_equal "$(jq -r 'select(.name == "lpush") | .status, .attributes["error.type"], .attributes["db.query.text"]' "$T/sent")" \
	$'2\nWRONGTYPE\nlpush ? ?'
expect_equal "$(jq -cS 'select(.name == "get") | [.kind, .status, .scope[0], .attributes]' "$T/sent")" \
	'[2,0,"uscope",{"db.operation.name":"get","db.query.text":"get ?","db.system.name":"redis"}]'
program=$(basename "$(readlink "/proc/$redis_pid/exe")")
expect_equal "$(jq -cS 'select(.name == "get") | .resource | del(.["host.name", "service.name", "container.id", "k8s.pod.uid"])' "$T/sent")" \
	"{\"deployment.environment.name\":\"test ring\",\"process.executable.name\":\"$program\",\"process.pid\":$redis_pid}"
