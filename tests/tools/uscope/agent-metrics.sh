#!/bin/bash
# ring: first
# shares: redis
# timeout: 240
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/agent.bash"

# `uscope agent` runs the tools of its file, and answers one scrape with the metrics of all of them:
# they are what the servers themselves counted, and what the tools lost.
choose_metrics_port
start_redis
mkdir "$T/www"
echo hello >"$T/www/page"
cat >"$T/server.py" <<'PY'
import http.server
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
print(server.server_port, flush=True)
server.serve_forever()
PY
cd "$T/www"
start_target_and_wait python3 "$T/server.py"
cd "$ROOT"
web_pid=$target_pid web_port=$(<"$target_out") web_log=$target_err
flood=$TARGETS/flood
cat >"$T/agent.yaml" <<END
agent:
  metrics: 127.0.0.1:$metrics_port
tools:
  rediscommands:
    options: [-p, $redis_pid]
  # A second one: its family is that of the first, its label its own.
  reads:
    tool: rediscommands
    options: [--pid=$redis_pid, --command, get]
  httpsnoop:
    options: [-p, $web_pid]
  numbers:
    tool: argdist
    options: [-i, 0.2, --keys, 10, -C, "p:$flood:flood(long thread, long number):long:number"]
  killsnoop:
    options: [-p, $$]
END
start_agent
expect_equal "$(pgrep -P "$agent_pid" -c)" 5
wait_for_sum 5 uscope_agent_tool_up .

{
	for i in {1..40}; do echo "set key$i value"; done
	for i in {1..7}; do echo "get key$i"; done
} | redis-cli -s "$redis_socket" >"$T/answers"
for i in {1..9}; do curl -s "http://127.0.0.1:$web_port/page"; done >"$T/pages"
for i in {1..3}; do curl -s "http://127.0.0.1:$web_port/none"; done >>"$T/pages"
"$flood" 1 500
durations=db_client_operation_duration_seconds_count requests=http_server_request_duration_seconds_count
stats() { redis-cli -s "$redis_socket" info commandstats | sed -nE "s/^cmdstat_$1:calls=([0-9]+),.*/\1/p"; }
for command in get set; do
	wait_for_sum "$(stats "$command")" "$durations" "tool=\"rediscommands\".*db_operation_name=\"$command\""
done
wait_for_sum "$(stats get)" "$durations" 'tool="reads"'
for status in 200 404; do
	wait_for_sum "$(grep -c "\" $status " "$web_log")" "$requests" "tool=\"httpsnoop\".*http_response_status_code=\"$status\""
done
wait_for_sum 490 uscope_tool_lost_total 'tool="numbers",what="events",reason="no room for more keys \(increase --keys\)"'
wait_for_sum 10 uscope_events_total 'tool="numbers"'
expect_valid_metrics "$T/scraped"
expect_equal "$(sum_of uscope_tool_events_total 'tool="rediscommands"' "$T/scraped")" \
	"$(sum_of "$durations" 'tool="rediscommands"' "$T/scraped")"
expect_no_line 'uscope_tool.*tool="killsnoop"' <(grep -v uscope_agent_ "$T/scraped") # it has no metrics
expect_line '^uscope_agent_tool_memory_bytes\{tool="httpsnoop"\} [1-9][0-9]{5,}$' "$T/scraped"
expect_line '^uscope_agent_tool_cpu_seconds_total\{tool="httpsnoop"\} [0-9]*\.0*[1-9]' "$T/scraped"
expect_line '^uscope_agent_cpu_seconds_total [0-9]*\.0*[1-9]' "$T/scraped"
expect_line '^uscope_agent_tool_restarts_total\{tool="killsnoop"\} 0$' "$T/scraped"

# Nobody else reads a tool's socket.
if command -v setpriv >/dev/null; then
	socket=uscope-agent-$agent_pid-reads
	curl -sf --max-time 10 --abstract-unix-socket "$socket" http://x/metrics >"$T/own"
	expect_line "^$durations" "$T/own"
	status=0
	setpriv --reuid 65534 --clear-groups curl -sf --max-time 10 --abstract-unix-socket "$socket" http://x/metrics >"$T/foreign" || status=$?
	[ "$status" -ne 0 ] && [ ! -s "$T/foreign" ] || fail 'another user reads the metrics'
fi

children=$(pgrep -P "$agent_pid")
tool_pid=$agent_pid
stop_tool TERM
expect_status 0
for process in $children; do
	! alive "$process" || fail "process $process still runs"
done
run "$ROOT/tests/breakpoints" "$redis_pid" "$web_pid"
expect_equal "$(awk '{ sum += $1 } END { print sum }' "$tool_out")" 0
