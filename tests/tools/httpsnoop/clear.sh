#!/bin/bash
# ring: first
# shares: http
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command jq

# Unencrypted requests equal those in the server's own log: each once, with method, target, status
# and bytes, for every system call that sends or receives them, and with both ways to trace sockets.
start_nginx 'location /px/ { proxy_pass http://127.0.0.1:$arg_port/; }'
head -c 3000000 /dev/zero >"$T/www/big"
echo hello >"$T/www/small"
workers=$(pgrep -P "$nginx_pid" | sed 's/^/-p /')

for way in lengths calls; do
	: >"$access_log"
	# shellcheck disable=SC2086 # words
	run_tool httpsnoop --json --no-tls --force-sockets "$way" $workers
	curl -s "http://127.0.0.1:$port/small" "http://127.0.0.1:$port/missing?x=1" "http://127.0.0.1:$port/big" >"$T/body" # one connection
	curl -sI "http://127.0.0.1:$port/small" >"$T/body"
	curl -s --unix-socket "$socket" http://any/small >"$T/body"
	curl -s -H 'Expect: 100-continue' -d 'a body' "http://127.0.0.1:$port/ok" >"$T/body"
	curl -s -H 'Transfer-Encoding: chunked' -d 'a body' "http://127.0.0.1:$port/ok" >"$T/body"
	head -c 2000000 /dev/zero | curl -s --data-binary @- "http://127.0.0.1:$port/ok" >"$T/body"
	wait_for_rows server 8
	stop_tool INT
	expect_status 0
	# nginx counts "HTTP/1.1 100 Continue" as bytes of the response's body.
	expect_equal "$(rows server "$tool_out")" "$(sed 's/ok 200 28$/ok 200 3/' "$access_log")"
	expect_count 1 '"peer":"unix"' "$tool_out"
	expect_no_line . "$tool_err"
done

# The requests of a client that the tool starts, with the peer; and a server in Python, which sends
# head and body in two calls.
start_target /usr/bin/python3 -u -c 'import http.server, sys
class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        if self.path == "/chunks":
            self.send_response(200); self.send_header("Transfer-Encoding", "chunked"); self.end_headers()
            for part in (b"5\r\nhello\r\n", b"3\r\nyou\r\n", b"0\r\n\r\n"): self.wfile.write(part)
        else: super().do_GET()
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1]); server.serve_forever()'
wait_for "[ -s '$target_out' ]" 20
python_port=$(cat "$target_out")
run_tool httpsnoop --json --no-tls --comm curl
curl -s "http://127.0.0.1:$python_port/nothing" "http://127.0.0.1:$python_port/chunks" >"$T/body"
wait_for_rows client 2
stop_tool INT
expect_equal "$(jq -r '"\(.comm) \(.side) \(.method) \(.status) \(.path) \(.peer)"' "$tool_out")" \
	"curl client GET 404 /nothing 127.0.0.1:$python_port
curl client GET 200 /chunks 127.0.0.1:$python_port"
expect_line '"bytes":8,.*"path":"/chunks"' "$tool_out"
