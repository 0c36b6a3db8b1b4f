#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/otlp/otlp.bash"
need_command jq curl

# Histograms for Prometheus and OpenTelemetry have the values of the rows. A scrape before the end
# has what was counted until then, and takes nothing from the output.
target=$TARGETS/calls
metric=uscope_function_duration_seconds
samples() { /usr/bin/python3 "$ROOT/tests/otlp/samples" "$@"; }
start_collector
port=$(free_port)
host=127.0.0.1
grep -q '^0*1 ' /proc/net/if_inet6 && host='[::1]'
run_tool funclatency --json --prometheus "$host:$port" --otlp-metrics "$collector" "$target:plain" "$target:slow"
"$target" 1 plain:30 slow:2
curl -s --max-time 10 "http://$host:$port/metrics" >"$T/early"
expect_equal "$(awk '/_count\{/ { sum += $NF } END { print sum }' "$T/early")" 32
"$target" 1 plain:500 slow:1
curl -s --max-time 10 "http://$host:$port/metrics" >"$T/late"
stop_tool INT
expect_status 0
expect_equal "$(samples "$metric" "$T/late" "$tool_out" func=function pid=pid)" 4
expect_line "^# TYPE $metric histogram\$" "$T/late"

# The points that the collector has.
expect_line '^/v1/metrics application/x-protobuf ' "$collected/log"
expect_line "^funclatency: sent 4 metric points to $collector/v1/metrics\$" "$tool_err"
collected_points >"$T/points"
expect_equal "$(jq -r '.name + " " + .unit + " " + .resource["service.name"]' "$T/points" | sort -u)" 'uscope.function.duration s uscope'
expect_equal "$(jq -cs 'map([.attributes.function, .count]) | sort' "$T/points")" \
	"$(jq -cs 'map([.func, .histogram.count]) | sort' "$tool_out")"
by_otlp=$(jq -cs 'map([.attributes.function, (.attributes.pid | tonumber), .buckets]) | sort' "$T/points")
by_prometheus=$(/usr/bin/python3 - "$T/late" "$metric" <<'PY'
import json, re, sys
series = {}
for line in open(sys.argv[1]):
    if found := re.match(sys.argv[2] + r'_bucket\{function="(.*)",pid="(\d+)",le=.*\} (\d+)', line):
        series.setdefault((found[1], int(found[2])), []).append(int(found[3]))
print(json.dumps(sorted([name, pid, [b - a for a, b in zip([0] + counts, counts)]]
                        for (name, pid), counts in series.items()), separators=(',', ':')))
PY
)
expect_equal "$by_otlp" "$by_prometheus"

# A file, with the output at intervals; in microseconds; without labels.
run_tool funclatency --json -u -i 0.05 --together --prometheus "$T/calls.prom" --otlp-metrics "$T/calls.json" "$target:plain" "$target:slow"
"$target" 1 plain:300 slow:20
stop_tool INT
expect_status 0
expect_equal "$(samples "$metric" "$T/calls.prom" "$tool_out")" 1
expect_line "^${metric}_count 320\$" "$T/calls.prom"
expect_equal "$(/usr/bin/python3 "$ROOT/tests/otlp/decode" --metrics "$T/calls.json" | jq -cs 'last | [.count, .attributes]')" '[320,{}]'

# Between two events.
run_tool funclatency --json -d 30 --prometheus "$T/pairs.prom" --from "p:$target:plain" --to "p:$target:slow" --key '$pid'
"$target" 1 plain:1 slow:1
stop_tool INT
expect_equal "$(samples uscope_between_events_duration_seconds "$T/pairs.prom" "$tool_out" func=function)" 1

# More sets of labels than --max-series.
run_tool funclatency --json --prometheus "$T/few.prom" --max-series 1 "$target:plain" "$target:slow"
"$target" 1 plain:30 slow:2
stop_tool INT
expect_equal "$(awk '/_count/ { sum += $NF } END { print sum }' "$T/few.prom")" 32
expect_line "^${metric}_count\{function=\"other\",pid=\"other\"\} [0-9]+\$" "$T/few.prom"
expect_line '^funclatency: counted [0-9]+ as "other": there were more than 1 sets of labels \(--max-series\)$' "$tool_err"

expect_refusal 2 '--prometheus and --otlp-metrics exclude -U and -K' funclatency -U --prometheus "$T/x" "$target:plain"
expect_refusal 2 '--max-series 0 ' funclatency --max-series 0 --prometheus "$T/x" "$target:plain"
expect_refusal 2 '--max-series takes at most 100000: ' funclatency --max-series 100001 --prometheus "$T/x" "$target:plain"
expect_refusal 2 'https://localhost: uscope does not speak TLS' funclatency --otlp-metrics https://localhost "$target:plain"
expect_refusal 2 '--otlp-json needs --otlp-metrics' funclatency --otlp-json "$target:plain"
expect_refusal 1 "cannot listen on 203.0.113.7:$port: Cannot assign requested address" funclatency --prometheus "203.0.113.7:$port" "$target:plain"
