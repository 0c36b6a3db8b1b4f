#!/bin/bash
# shares: http
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command jq

# Requests and calls need not match: a head byte by byte, many requests in one call, bodies that
# look like requests, long lines, empty lines; and data that only starts like a request.
start_nginx
workers=$(pgrep -P "$nginx_pid" | sed 's/^/-p /')
cat >"$T/client.py" <<'END'
import socket, sys
port = int(sys.argv[1])
def talk(calls, answers):
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for call in calls: connection.sendall(call)
    data = b""
    while data.count(b"HTTP/1.1 ") < answers:
        part = connection.recv(65536)
        if not part: break
        data += part
    connection.close()
def get(path): return b"GET " + path + b" HTTP/1.1\r\nHost: a\r\n\r\n"
def post(path, body): return b"POST " + path + b" HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(body)
talk([bytes([c]) for c in get(b"/bytes")] + [get(b"/after-bytes")], 2)
talk([b"".join(get(b"/pipelined%d" % i) for i in range(20))], 20)
body = b"GET /body HTTP/1.1\r\n\r\n"
talk([post(b"/one-call", body) + body + get(b"/after1")], 2)
talk([post(b"/two-calls", body), body, get(b"/after2")], 2)
for size in (3000, 7000, 15000): talk([get(b"/long?" + b"a" * size)], 1)
talk([b"\r\n" + get(b"/empty-line")], 1)
talk([b"GET garbage that is none\r\n\r\n", b"POST"], 1)
END
for way in lengths calls; do
	: >"$access_log"
	# shellcheck disable=SC2086 # words
	run_tool httpsnoop --json --no-tls --force-sockets "$way" $workers
	/usr/bin/python3 "$T/client.py" "$port"
	wait_for_rows server 30
	stop_tool INT
	expect_status 0
	# In any order: of two connections, the second one's response may be logged first.
	expect_equal "$(rows server "$tool_out" | cut -d ' ' -f 1-3 | sort)" "$(grep -v ' 400 ' "$access_log" | cut -d ' ' -f 1-3 | sort)"
done
