#!/bin/bash
# ring: first
# shares: redis
source "$(dirname "$0")/../../lib.sh"
need_command jq curl

# Histograms of durations have the counts and sums of the rows: on a port, and in a file that
# node_exporter's textfile collector reads. More sets of labels than --max-series count as "other".
start_redis
port=$((20000 + $$ % 20000))
run_tool rediscommands -p "$redis_pid" --json --prometheus "127.0.0.1:$port"
port_pid=$tool_pid port_out=$tool_out
mkdir "$T/textfile"
run_tool rediscommands -p "$redis_pid" --json --prometheus "$T/textfile/redis.prom"
file_pid=$tool_pid
run_tool rediscommands -p "$redis_pid" --json --prometheus "$T/few.prom" --max-series 2
few_pid=$tool_pid few_err=$tool_err
{
	for i in {1..40}; do echo "set key$i value"; done
	for i in {1..7}; do echo "get key$i"; done
	echo 'lpush key1 x'
	echo 'echo the-end'
} | redis-cli -s "$redis_socket" >"$T/answers" || true
clients_gone
wait_for "grep -q the-end '$port_out'" 20
curl -s --max-time 10 "http://127.0.0.1:$port/metrics" >"$T/scraped"
expect_equal "$(curl -s -o "$T/other" -w '%{http_code} %{content_type}' "http://127.0.0.1:$port/")" \
	'404 text/plain; version=0.0.4; charset=utf-8'
printf 'nothing of HTTP\n\n' | timeout 5 bash -c "exec 3<>/dev/tcp/127.0.0.1/$port; cat >&3; cat <&3" >"$T/garbage" || true
expect_equal "$(curl -s --max-time 10 "http://127.0.0.1:$port/metrics")" "$(<"$T/scraped")"

# Clients that connect and ask nothing do not keep others from asking.
timeout 60 bash -c "for ((i = 0; i < 40; i++)); do exec {fd}<>/dev/tcp/127.0.0.1/$port; done; echo >'$T/connected'; sleep 60" &
idle_pid=$!
wait_for "[ -s '$T/connected' ]" 20
expect_equal "$(curl -s --max-time 10 "http://127.0.0.1:$port/metrics")" "$(<"$T/scraped")"
kill "$idle_pid"
for tool_pid in "$port_pid" "$file_pid" "$few_pid"; do
	stop_tool INT
	expect_status 0
done
metric=db_client_operation_duration_seconds
program=redis-server # not the file to which it is a link
set_labels="service_name=\"$program\",db_system_name=\"redis\",db_operation_name=\"set\""
expect_line "^${metric}_count\{$set_labels\} 40\$" "$T/scraped"
expect_line "^${metric}_bucket\{$set_labels,le=\"\+Inf\"\} 40\$" "$T/scraped"
expect_line "^${metric}_count\{.*db_operation_name=\"lpush\",.*error_type=\"WRONGTYPE\"\} 1\$|^${metric}_count\{.*error_type=\"WRONGTYPE\".*lpush.*\} 1\$" "$T/scraped"
sum_ns() { awk -v name="${metric}_sum" 'index($0, name) == 1 { sum += $NF } END { printf "%.0f\n", sum * 1e9 }' "$1"; }
expect_equal "$(sum_ns "$T/scraped")" "$(jq -s 'map(.latency_ns) | add' "$port_out")"
expect_equal "$(grep "${metric}_count" "$T/textfile/redis.prom")" "$(grep "${metric}_count" "$T/scraped")"
expect_equal "$(tail -c 1 "$T/textfile/redis.prom" | od -An -c | tr -d ' ')" '\n'

# each command is in one of two sets or in "other"
expect_equal "$(awk '/_count/ { n += $NF } END { print n }' "$T/few.prom")" "$(wc -l <"$port_out")"
expect_line "^${metric}_count\{service_name=\"other\",db_system_name=\"other\",db_operation_name=\"other\"\} " "$T/few.prom"
expect_line '^rediscommands: counted [0-9]+ as "other": there were more than 2 sets of labels \(--max-series\)$' "$few_err"

command -v prometheus-node-exporter >/dev/null || exit 0
exporter_port=$((port + 1))
start_target prometheus-node-exporter --collector.disable-defaults --collector.textfile \
	--collector.textfile.directory="$T/textfile" --web.listen-address="127.0.0.1:$exporter_port"
wait_for "curl -s 'http://127.0.0.1:$exporter_port/metrics' >'$T/exporter'" 20
expect_line '^node_textfile_scrape_error 0$' "$T/exporter"
expect_line "^# TYPE $metric histogram\$" "$T/exporter"
numbers() { grep "^${metric}_count" "$1" | awk '{ print $NF }' | sort -n; }
expect_equal "$(numbers "$T/exporter")" "$(numbers "$T/textfile/redis.prom")"
