#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"
source "$ROOT/tests/otlp/otlp.bash"
need_command jq

# Counts and sums by key, histograms of values and latencies, linear ones: the metrics have what the
# rows have, also with -c and over intervals. Labels are the keys.
flood=$TARGETS/flood calls=$TARGETS/calls
entry="p:$flood:flood(long thread, long number)"
sample() { awk -v name="$1" 'index($0, name " ") == 1 { print $NF }' "$T/argdist.prom"; }
start_collector
run_tool argdist -i 0.2 --json --prometheus "$T/argdist.prom" --otlp-metrics "$collector" --otlp-json \
	-C "$entry:int:thread#by thread" --sum '-number' \
	-H "$entry:int,long:thread,number - 50#numbers" -H "$entry:long:number lin(0,60,20)#linear" \
	-H "r:$calls:slow():u64:\$latency#slow"
"$flood" 2 100 5
"$calls" 1 slow:20
stop_tool INT
expect_status 0
for thread in 1 2; do
	expect_equal "$(sample "uscope_events_total{probe=\"by thread\",thread=\"$thread\"}")" 100
	expect_equal "$(sample "uscope_sums{probe=\"by thread\",thread=\"$thread\",expression=\"-number\"}")" -5050
	expect_equal "$(sample "uscope_value_bucket{probe=\"numbers\",thread=\"$thread\",le=\"-1\"}")" 49
	expect_equal "$(sample "uscope_value_bucket{probe=\"numbers\",thread=\"$thread\",le=\"31\"}")" 81
	expect_equal "$(sample "uscope_value_sum{probe=\"numbers\",thread=\"$thread\"}")" NaN
	expect_equal "$(sample "uscope_value_count{probe=\"numbers\",thread=\"$thread\"}")" 100
done
expect_line '^# TYPE uscope_events_total counter$' "$T/argdist.prom"
expect_line '^# TYPE uscope_sums gauge$' "$T/argdist.prom"
linear='uscope_value_bucket{probe="linear",le='
for wanted in '"-1" 0' '"19" 38' '"39" 78' '"59" 118' '"+Inf" 200'; do
	expect_equal "$(sample "$linear${wanted% *}}")" "${wanted#* }"
done
grep uscope_latency "$T/argdist.prom" >"$T/latency"
jq -c 'select(.probe == "slow")' "$tool_out" >"$T/slow"
expect_equal "$(/usr/bin/python3 "$ROOT/tests/otlp/samples" uscope_latency_seconds "$T/latency" "$T/slow" probe=probe)" 1

# The collector has the same.
expect_line '^/v1/metrics application/json ' "$collected/log"
last=$(ls "$collected" | sed -n 's/\.bin$//p' | sort -n | tail -n 1)
cp "$collected/$last.bin" "$T/last.json"
/usr/bin/python3 "$ROOT/tests/otlp/decode" --metrics "$T/last.json" >"$T/points"
expect_equal "$(jq -c 'select(.name == "uscope.sums") | [.attributes, .value, .monotonic]' "$T/points" | sort)" \
	'[{"probe":"by thread","thread":"1","expression":"-number"},-5050,false]
[{"probe":"by thread","thread":"2","expression":"-number"},-5050,false]'
expect_equal "$(jq -c 'select(.attributes.probe == "linear") | [.bounds, .buckets, .sum]' "$T/points")" '[[-1,19,39,59],[0,38,40,40,82],null]'
expect_equal "$(jq -c 'select(.name == "uscope.events") | [.value, .monotonic]' "$T/points" | sort -u)" '[100,true]'

# With -c, each interval's rows are the totals.
run_tool argdist -c -i 0.1 --json --prometheus "$T/argdist.prom" -C "$entry:int:thread"
"$flood" 1 100 10
stop_tool INT
expect_equal "$(awk '/^uscope_events_total/ { print $NF }' "$T/argdist.prom")" 100
expect_equal "$(jq -sc 'last.count' "$tool_out")" 100

# Texts as labels, and too many of them.
run_tool argdist -i 100 --prometheus "$T/argdist.prom" --max-series 10 -C "$entry:char*,long:\$comm,number"
"$flood" 1 100
stop_tool INT
expect_equal "$(awk '/^uscope_events_total/ { sum += $NF; lines++ } END { print sum, lines }' "$T/argdist.prom")" '100 11'
expect_line '^argdist: counted 90 as "other"' "$tool_err"
