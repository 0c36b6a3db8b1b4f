#!/bin/bash
# shares: redis sid
# timeout: 300
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/otlp/otlp.bash"
need_command jq curl

# Grafana's dashboard: each of its queries has a result in Prometheus when the tools export their
# metrics, with the names, labels and services that it shows; panels do not overlap.
dashboard=$ROOT/packaging/grafana/uscope.json
/usr/bin/python3 - "$dashboard" <<'PY'
import json, sys
board = json.load(open(sys.argv[1]))
assert board['uid'] == 'uscope' and board['schemaVersion'] >= 36
ids = [panel['id'] for panel in board['panels']]
assert len(set(ids)) == len(ids)
taken = set()
for panel in board['panels']:
    place = panel['gridPos']
    assert place['x'] + place['w'] <= 24
    cells = {(x, y) for x in range(place['x'], place['x'] + place['w']) for y in range(place['y'], place['y'] + place['h'])}
    assert not cells & taken, panel['title']
    taken |= cells
    assert panel['type'] == 'row' or panel['targets'], panel['title']
names = [variable['name'] for variable in board['templating']['list']]
assert names == ['datasource', 'service']
PY

start_redis
debian_root sid victoria-metrics prometheus prometheus-pushgateway prometheus-node-exporter
serve='import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(500 if self.path == "/wrong" else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()'
start_target /usr/bin/python3 -c "$serve"
wait_for "[ -s '$target_out' ]" 20
web=$(<"$target_out")
targets='' tools=()
run_exported() { # NAME ARG…
	local port
	port=$(free_port)
	run_tool "$1" "${@:2}" --prometheus "127.0.0.1:$port"
	tools+=("$tool_pid")
	targets+="'127.0.0.1:$port',"
}
calls=$TARGETS/calls
run_exported rediscommands -p "$redis_pid"
run_exported httpsnoop --no-tls --host "127.0.0.1:$web"
run_exported funclatency "$calls:plain"
run_exported readlat --comm redis-server -p "$redis_pid"
run_exported argdist -i 1 -C "p:$calls:plain()#plain"
run_exported ustat -l python
prometheus=$(free_port)
printf 'global: {scrape_interval: 1s}\nscrape_configs: [{job_name: uscope, static_configs: [{targets: [%s]}]}]\n' "${targets%,}" >"$T/prometheus.yml"
mkdir "$T/data"
start_target "${in_root[@]}" prometheus --config.file="$T/prometheus.yml" --storage.tsdb.path="$T/data" \
	--web.listen-address="127.0.0.1:$prometheus" --log.level=warn
wait_for "curl -sf 'http://127.0.0.1:$prometheus/-/ready' >'$T/health'" 60

load() {
	redis-cli -s "$redis_socket" set key value >"$T/out"
	curl -s "http://127.0.0.1:$web/right" "http://127.0.0.1:$web/wrong" >"$T/out"
	"$calls" 1 plain:10
}
result() { # QUERY: the number of series
	curl -sG "http://127.0.0.1:$prometheus/api/v1/query" --data-urlencode "query=$1" | jq -r 'if .status == "success" then (.data.result | length) else .error end'
}
load
queries=0
while read -r query; do
	query=${query//\$__rate_interval/1m}
	query=${query//\$service/.*}
	((++queries))
	# PHP, Ruby and Java report exceptions and collections of Python only in some builds
	case $query in *uscope_exceptions* | *uscope_collection_seconds*) wanted='[0-9]' ;; *) wanted='[1-9]' ;; esac
	wait_for "load; [[ \"\$(result '$query')\" = $wanted* ]]" 30
done < <(jq -r '.panels[].targets[]?.expr' "$dashboard")
[ "$queries" -ge 12 ] || fail "only $queries queries"
curl -sG "http://127.0.0.1:$prometheus/api/v1/label/service_name/values" --data-urlencode "match[]={__name__=~\"http_.*_count|db_.*_count\"}" >"$T/services"
expect_equal "$(jq -c '.data | map(select(test("redis|python|curl") | not))' "$T/services")" '[]'
expect_equal "$(jq '.data | length' "$T/services")" 3
for tool_pid in "${tools[@]}"; do
	kill -INT "$tool_pid"
done
