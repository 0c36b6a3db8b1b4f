#!/bin/bash
# shares: sid
# timeout: 400
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/otlp/otlp.bash"
need_command jq curl

# Prometheus (scrapes), node_exporter (textfile collector), the Pushgateway and VictoriaMetrics (OTLP)
# have the values that the rows have; promtool finds nothing wrong.
debian_root sid victoria-metrics prometheus prometheus-pushgateway prometheus-node-exporter
ours=$(free_port) textfile=$(free_port) pushed=$(free_port) prometheus=$(free_port) victoria=$(free_port)
flood=$TARGETS/flood calls=$TARGETS/calls
mkdir "$T/textfile" "$T/data" "$T/victoria"
start_target "${in_root[@]}" prometheus-pushgateway --web.listen-address="127.0.0.1:$pushed"
start_target "${in_root[@]}" prometheus-node-exporter --collector.disable-defaults --collector.textfile \
	--collector.textfile.directory="$T/textfile" --web.listen-address="127.0.0.1:$textfile"
start_target "${in_root[@]}" victoria-metrics -storageDataPath="$T/victoria" -httpListenAddr="127.0.0.1:$victoria"
wait_for "curl -sf 'http://127.0.0.1:$victoria/health' >'$T/health'" 60
wait_for "curl -sf 'http://127.0.0.1:$pushed/metrics' >'$T/health'" 60
cat >"$T/prometheus.yml" <<END
global: {scrape_interval: 1s}
scrape_configs:
  - {job_name: ours, static_configs: [{targets: ['127.0.0.1:$ours']}]}
  - {job_name: textfile, static_configs: [{targets: ['127.0.0.1:$textfile']}]}
  - {job_name: pushed, honor_labels: true, static_configs: [{targets: ['127.0.0.1:$pushed']}]}
END
start_target "${in_root[@]}" prometheus --config.file="$T/prometheus.yml" --storage.tsdb.path="$T/data" \
	--web.listen-address="127.0.0.1:$prometheus" --log.level=warn
wait_for "curl -sf 'http://127.0.0.1:$prometheus/-/ready' >'$T/health'" 60

specifiers=(-C "p:$flood:flood(long thread, long number):int:thread#by thread" --sum '-number'
	-H "p:$flood:flood(long thread, long number):long:number - 500#numbers"
	-H "p:$flood:flood(long thread, long number):long:number lin(0,600,200)#linear")
run_tool argdist -i 0.2 --json --prometheus "127.0.0.1:$ours" --otlp-metrics "http://127.0.0.1:$victoria/opentelemetry/v1/metrics" "${specifiers[@]}"
argdist_pid=$tool_pid argdist_err=$tool_err
run_tool argdist -i 0.2 --prometheus "$T/textfile/flood.prom" "${specifiers[@]}"
file_pid=$tool_pid
run_tool funclatency --json --prometheus "$T/slow.prom" --otlp-metrics "http://127.0.0.1:$victoria/opentelemetry/v1/metrics" "$calls:slow"
slow_pid=$tool_pid slow_out=$tool_out
"$flood" 2 1000
"$calls" 1 slow:30
for tool_pid in "$file_pid" "$slow_pid"; do
	stop_tool INT
	expect_status 0
done
curl -sf --data-binary "@$T/slow.prom" "http://127.0.0.1:$pushed/metrics/job/uscope" || fail 'the Pushgateway refuses the file'

# Queries whose result is one number.
query() { curl -sG "http://127.0.0.1:$prometheus/api/v1/query" --data-urlencode "query=$1" | jq -r '.data.result | if length == 1 then .[0].value[1] else length end'; }
has() { # WANTED QUERY
	wait_for "[ \"\$(query '$2')\" = '$1' ]" 30 || fail "$2 is $(query "$2"), not $1"
}
for job in ours textfile; do
	has 1000 "uscope_events_total{job=\"$job\",probe=\"by thread\",thread=\"2\"}"
	has -500500 "uscope_sums{job=\"$job\",probe=\"by thread\",thread=\"1\",expression=\"-number\"}"
	has 998 "uscope_value_bucket{job=\"$job\",probe=\"numbers\",le=\"-1.0\"}"
	has 2000 "uscope_value_bucket{job=\"$job\",probe=\"numbers\",le=\"511.0\"}"
	has NaN "uscope_value_sum{job=\"$job\",probe=\"numbers\"}"
	has 398 "uscope_value_bucket{job=\"$job\",probe=\"linear\",le=\"199.0\"}"
	has 2000 "uscope_value_count{job=\"$job\",probe=\"linear\"}"
done
has 1 'up{job="ours"}'
has 0 'node_textfile_scrape_error'
slow_ns=$(jq -s 'map(.histogram.sum) | add' "$slow_out")
has 30 'uscope_function_duration_seconds_count{job="uscope",function="slow"}'
has "$(jq -n "$slow_ns / 1e9")" 'uscope_function_duration_seconds_sum{function="slow"}'
has 0 'uscope_function_duration_seconds_bucket{function="slow",le="0.001048575"}'
curl -sG "http://127.0.0.1:$prometheus/api/v1/metadata" --data-urlencode metric=uscope_events_total >"$T/metadata"
expect_equal "$(jq -c '.data.uscope_events_total | map(.type + " " + .help) | unique' "$T/metadata")" '["counter Events, by the values of expressions."]'
for file in "$T/slow.prom" "$T/textfile/flood.prom"; do
	"${in_root[@]}" promtool check metrics <"$file" >"$T/lint" 2>&1 || fail "promtool: $(<"$T/lint")"
	expect_no_line . "$T/lint"
done

# VictoriaMetrics names them as OpenTelemetry does.
tool_pid=$argdist_pid tool_err=$argdist_err
stop_tool INT
expect_status 0
expect_line '^argdist: sent [0-9,]+ metric points to ' "$argdist_err"
stored() { # SELECTOR: the last value
	curl -sG "http://127.0.0.1:$victoria/api/v1/export" --data-urlencode "match[]=$1" | jq -r '.values[-1]'
}
wait_for "[ -n \"\$(stored '{__name__=\"uscope.events\",thread=\"1\"}')\" ]" 30
expect_equal "$(stored '{__name__="uscope.events",thread="1"}')" 1000
expect_equal "$(stored '{__name__="uscope.sums",thread="1"}')" -500500
expect_equal "$(stored '{__name__="uscope.value_count",probe="linear"}')" 2000
expect_equal "$(stored '{__name__="uscope.function.duration_count",function="slow"}')" 30
expect_equal "$(stored '{__name__="uscope.function.duration_bucket",function="slow",le="+Inf"}')" 30

# Prometheus is built without OTLP: the note says what that can mean.
run_tool argdist -i 0.1 --otlp-metrics "http://127.0.0.1:$prometheus/api/v1/otlp/v1/metrics" "${specifiers[@]}"
"$flood" 1 10
stop_tool INT
expect_line '^argdist: cannot send metric points to .*: it answers 404 \(its OTLP receiver is not built in' "$tool_err"
expect_line '^argdist: lost [0-9]+ metric points: the collector refused them with status 404$' "$tool_err"
