#!/bin/bash
# shares: http
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command jq

# An HTTP/2 client disconnects when it has received Content-Length bytes, before the server ends the
# stream: both responses, which arrive interleaved, are complete. If it disconnects earlier, the
# response was broken off.
cat >"$T/server.py" <<'END'
import itertools, socket
from http2_frames import *
length = 300000
def serve(connection):
    connection.sendall(frame(SETTINGS))
    head = b"\x88" + header(b"content-length", str(length).encode())
    connection.recv(65536)
    for stream in (1, 3):
        connection.sendall(frame(HEADERS, END_HEADERS, stream, head))
    left = {1: length, 3: length}
    sizes = itertools.cycle((1000, 16384, 1))
    while any(left.values()):
        for stream in (1, 3):
            size = min(next(sizes), left[stream])
            left[stream] -= size
            connection.sendall(frame(DATA, 0, stream, bytes(size)))
    while connection.recv(65536): pass
    connection.close()
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    try: serve(listener.accept()[0])
    except OSError: pass
END
cat >"$T/client.py" <<'END'
import socket, sys
from http2_frames import *
sys.stdin.readline()
for wanted in (600000, 450000):
    connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    stream = connection.makefile("rb")
    connection.sendall(PREFACE + frame(SETTINGS) + get(1, b"/%d-1" % wanted) + get(3, b"/%d-3" % wanted))
    got = 0
    while got < wanted:
        head = stream.read(9)
        size = int.from_bytes(head[:3], "big")
        stream.read(size)
        got += size if head[3] == DATA else 0
    connection.close()
END
export PYTHONPATH=$ROOT/tests/targets/scripts
start_target_and_wait /usr/bin/python3 -B "$T/server.py"
server_port=$(cat "$target_out") server_pid=$target_pid
mkfifo "$T/go"
exec 8<>"$T/go"
for way in lengths calls; do
	stdin=$T/go start_target /usr/bin/python3 -B "$T/client.py" "$server_port"
	run_tool httpsnoop --json --no-tls --force-sockets "$way" -p "$target_pid" -p "$server_pid"
	echo >&8
	wait "$target_pid" || fail "$(cat "$target_err")"
	wait_for_rows client 4
	wait_for_rows server 4
	stop_tool INT
	expect_status 0
	expect_equal "$(jq -r 'select(.side == "client") | "\(.path) \(.status) \(.bytes) \(.error)"' "$tool_out" | sort)" \
		"/450000-1 200 null broken off
/450000-3 200 null broken off
/600000-1 200 300000 null
/600000-3 200 300000 null"
	expect_equal "$(jq -r 'select(.side == "server" and (.path | startswith("/600000"))) | "\(.path) \(.bytes) \(.error)"' "$tool_out" | sort)" \
		$'/600000-1 300000 null\n/600000-3 300000 null'
done
