#!/bin/bash
# timeout: 240
# shares: http
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command jq

# Filters of requests, and options for what is shown.
start_nginx 'location /users/ { return 500 "no"; }'
workers=$(pgrep -P "$nginx_pid" | sed 's/^/-p /')
request() { curl -s "$@" >"$T/body"; }
requests() {
	request "http://127.0.0.1:$port/ok?token=abc&x=1" -H 'Cookie: a=secret' -H 'X-Trace: 7'
	request "http://127.0.0.1:$port/users/181"
	request "http://127.0.0.1:$port/users/182" -d x
	request "http://127.0.0.1:$port/none"
}
shows() { # PATHS OPTION…
	local paths=$1
	shift
	# shellcheck disable=SC2086 # words
	run_tool httpsnoop --json --no-tls "$@" $workers
	requests
	stop_tool INT
	expect_status 0
	expect_equal "$(jq -r .path "$tool_out" | xargs)" "$paths"
}
shows '/ok /users/181 /users/182 /none'
shows '/users/181 /users/182' --status 5xx
shows '/none' --status 404
shows '' --status error
shows '/users/182' --method post
shows '/ok' --path /o
shows '' --host '*.example.org'
shows '' --client
shows '' --min 10s
shows '/ok /users/181' -M 2 # ends after 2 requests

# Secrets are hidden, unless an option asks for them.
shows /ok --path /ok -H cookie -H X-Trace
expect_line '"url":"127.0.0.1:[0-9]+/ok\?token=\*\*\*&x=1","request_headers":\{"cookie":"\*\*\*","x-trace":"7"\}' "$tool_out"
shows /ok --path /ok -H cookie --show-secrets
expect_line 'token=abc&x=1","request_headers":\{"cookie":"a=secret"\}' "$tool_out"

# shellcheck disable=SC2086 # words
run_tool httpsnoop --no-tls $workers -H x-trace
requests
stop_tool TERM
expect_status 0
expect_line '^TIME +PID +COMM +SIDE +PEER +METHOD +STATUS +LATENCY +BYTES URL$' "$tool_out"
expect_line "^[0-9:]{8}\.[0-9]{6} +[0-9]+ +nginx +server +127.0.0.1:[0-9]+ +GET +200 +[0-9.]+[num]?s +3 127.0.0.1:$port/ok\?token=\*\*\*&x=1 \[x-trace: 7\]$" "$tool_out"

# shellcheck disable=SC2086 # words
run_tool httpsnoop --no-tls -S $workers
requests
stop_tool INT
expect_line "^ +2 +2 +[0-9.]+[num]?s +[0-9.]+[num]?s 127.0.0.1:$port/users/\*$" "$tool_out"

# A client that disconnects, a server that breaks off: the row has no status.
start_target /usr/bin/python3 -u -c 'import socket
server = socket.create_server(("127.0.0.1", 0)); print(server.getsockname()[1])
while True:
    connection = server.accept()[0]
    if b"/half" in connection.recv(4096): connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
    connection.close()'
wait_for "[ -s '$target_out' ]" 20
run_tool httpsnoop --json --no-tls -p "$target_pid" --status error
request "http://127.0.0.1:$(cat "$target_out")/gone" || true
request "http://127.0.0.1:$(cat "$target_out")/half" || true
stop_tool INT
expect_equal "$(jq -r '"\(.path) \(.status) \(.error)"' "$tool_out")" '/gone null no response seen
/half 200 broken off'
