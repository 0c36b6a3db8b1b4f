#!/bin/bash
# alone: httpsnoop shows requests of all processes, also downloads of other tests
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command jq

# A client disconnects without waiting for the response. The server's row has the status, although
# the connection breaks while it sends the response. The rows of the client and of a proxy have the
# time until the client disconnected, not until the server noticed.
cat >"$T/slow.py" <<'END'
import socket, threading, time
def serve(connection):
    line = connection.recv(4096)
    time.sleep(.5)
    try:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        if b"/more" in line: connection.sendall(b"no more")
    except OSError: pass
    connection.close()
    print("answered", flush=True)
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True: threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
END
start_target_and_wait /usr/bin/python3 -u "$T/slow.py"
slow=$(cat "$target_out")
start_nginx "location /px/ { proxy_pass http://127.0.0.1:$slow/; }"
cat >"$T/client.py" <<'END'
import socket, struct, sys, time
for path, reset in (b"/fin", 0), (b"/reset", 1), (b"/more", 0):
    connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    connection.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: a\r\n\r\n")
    time.sleep(.1)
    if reset: connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()
END
seen() { # SIDE PORT; path, status, error, and whether it took as long as the server's row
	jq -r 'select(.side == "'"$1"'" and ((.peer, .local) | endswith(":'"$2"'"))) | "\(.comm) \(.path) \(.status) \(.error) \(.latency_ns >= 5e8)"' "$tool_out" | sed 's/^python3\S*/python/' | sort -u
}
for way in lengths calls; do
	: >"$target_out"
	run_tool httpsnoop --json --no-tls --force-sockets "$way"
	/usr/bin/python3 "$T/client.py" "$slow"
	curl -s -m .2 "http://127.0.0.1:$port/px/proxied" >"$T/body" || true
	wait_for "[ \"\$(grep -c answered '$target_out')\" -eq 4 ]" 20
	wait_for "[ \"\$(grep -cE ':($slow|$port)\"' '$tool_out')\" -ge 10 ]" 20
	stop_tool INT
	expect_status 0
	expect_equal "$(seen server "$slow")" 'python /fin 200 null true
python /more 200 null true
python /proxied 200 null true
python /reset null no response seen false'
	expect_equal "$(seen client "$slow")" 'nginx /proxied null no response seen false
python /fin null no response seen false
python /more null no response seen false
python /reset null no response seen false'
	expect_equal "$(seen server "$port")" 'nginx /px/proxied null no response seen false'
done
