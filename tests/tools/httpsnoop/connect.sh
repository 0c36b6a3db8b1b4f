#!/bin/bash
# shares: http
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command jq curl

# httpsnoop shows the unencrypted requests in a CONNECT tunnel in the client, the proxy and the
# server.
server=("/usr/bin/python3" "$ROOT/tests/targets/scripts/http_server.py" "$T" clear)
start_target_and_wait "${server[@]}"
server_port=$(cat "$target_out") server_pid=$target_pid
start_target_and_wait "${server[@]}" proxy
proxy_port=$(cat "$target_out") proxy_pid=$target_pid
for way in lengths calls; do
	run_tool httpsnoop --json --no-tls --force-sockets "$way"
	curl -s --http1.1 -p -x "http://127.0.0.1:$proxy_port" "http://127.0.0.1:$server_port/"{1a,3b} -o "$T/body" -o "$T/body" -w '%{http_code}\n' >"$T/statuses"
	wait_for "[ \$(grep -cE ':($server_port|$proxy_port)\"' '$tool_out') -ge 10 ]" 20
	stop_tool INT
	expect_status 0
	expect_equal "$(cat "$T/statuses")" $'201\n203'
	rows='CONNECT  200
GET /1a 201
GET /3b 203'
	shown() { jq -r "select($1) | \"\(.method) \(.path) \(.status)\"" "$tool_out"; }
	expect_equal "$(shown ".comm == \"curl\" and .peer == \"127.0.0.1:$proxy_port\"")" "$rows"
	expect_equal "$(shown ".pid == $proxy_pid and .side == \"server\"")" "$rows"
	expect_equal "$(shown ".pid == $server_pid")" $'GET /1a 201\nGET /3b 203'
done
