#!/bin/bash
# shares: http
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command jq

# Peers that send malformed data, unencrypted, in both directions: garbage after HTTP/2's preface,
# frames of 16 MB, heads that refer to one long header a thousand times, requests without responses.
# Only answered requests have a response; the tool's and the kernel's memory stay bounded;
# well-formed connections are still traced.
cat >"$T/peers.py" <<'END'
import random, socket, sys, threading
from http2_frames import *
chance = random.Random(1)
listener = socket.create_server(("127.0.0.1", 0))
def drain(connection):
    try:
        while connection.recv(1 << 20): pass
    except OSError: pass
def talk(asks, answers):
    client = socket.create_connection(listener.getsockname())
    server, _ = listener.accept()
    for end, calls in (client, asks), (server, answers):
        other = server if end is client else client
        reader = threading.Thread(target=drain, args=(other,))
        reader.start()
        for call in calls: end.sendall(call)
        end.shutdown(socket.SHUT_WR)
        reader.join()
    client.close(); server.close()
print("ready", flush=True)
sys.stdin.readline()
start = PREFACE + frame(SETTINGS)
for size in range(1, 3000, 50):
    garbage = chance.randbytes(size)
    talk([b"PRI " + garbage], [garbage])
    talk([start + garbage, garbage], [garbage])
    talk([start, get(1, b"/garbage") + garbage], [frame(SETTINGS), garbage])
most = (1 << 24) - 1
for kind in range(12):
    for stream in 0, 1, 1 << 31:
        talk([start + frame(kind, 5, stream, b"abc", most), b"d" * 40000], [frame(kind, 5, stream, b"abc", most), b"d" * 40000])
        talk([start, frame(kind, 5, stream, b"", 0) * 300], [frame(kind, 5, stream, b"", 0) * 300])
    talk([start + get(1, b"/padded") + frame(kind, 0x2d, 3, b"\xff")], [frame(kind, 0x2d, 1, b"\xff")])
# Stores a header of 4000 bytes, and refers to it a thousand times in each of 1500 requests; the
# sender chooses the size of the table.
name = b"\x40" + text(b"x") + text(b"v" * 4000)
bomb = [b"".join(get(stream + 2 * i, b"/bomb", b"\xbe" * 1000) for i in range(15)) for stream in range(3, 3000, 30)]
talk([start, get(1, b"/bomb", name)] + bomb, [frame(SETTINGS)])
talk([start, get(1, b"/table", number(1 << 20, 5, 0x20))] + [get(i, b"/table", name * 3) for i in range(3, 600, 2)], [frame(SETTINGS)])
talk([start, frame(HEADERS, 1, 1, b"\x82\x86\x84")] + [frame(CONTINUATION, 0, 1, name) for _ in range(1000)], [frame(SETTINGS)])
talk([start] + [b"".join(get(stream + 2 * i, b"/many") for i in range(200)) for stream in range(1, 24000, 400)], [frame(SETTINGS)])
head = b"GET /http1 HTTP/1.1\r\nx: " + b"v" * 15000 + b"\r\n\r\n"
talk([head] * 1000, [b"HTTP/1.1 100 Continue\r\n\r\n"])
talk([b"GET /endless HTTP/1.1\r\n"] + [b"x: y\r\n" * 1000] * 200, [b"HTTP/1.1 20", b"\xff" * 3000])
h2c = b"Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
for end in h2c, h2c[:-2], h2c + b"\xff" * 5000, b"x: h2c\r" * 1000:
    talk([b"GET /upgrade HTTP/1.1\r\n" + h2c, b"\xff" * 3000], [b"HTTP/1.1 101 Switching Protocols\r\n" + end, b"\0" * 3000])
talk([start, get(1, b"/proper")], [frame(SETTINGS), frame(HEADERS, 5, 1, b"\x88")])
talk([b"GET /proper HTTP/1.1\r\n\r\n"], [b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"])
print("done", flush=True)
sys.stdin.readline()
END
for way in lengths calls; do
	rm -f "$T/go" && mkfifo "$T/go"
	exec {go}<>"$T/go"
	stdin=$T/go start_target_and_wait env PYTHONPATH="$ROOT/tests/targets/scripts" /usr/bin/python3 -B "$T/peers.py"
	run_tool httpsnoop --json --no-tls --buffer 64M --force-sockets "$way" -p "$target_pid"
	before=$(kernel_bytes)
	echo >&"$go"
	wait_for "grep -q done '$target_out' || ! alive $target_pid" 60
	wait_for "[ \"\$(grep -c '/proper' '$tool_out')\" -ge 4 ]" 60
	expect_flat "$before"
	kilobytes=$(awk '$1 == "VmHWM:" { print $2 }' "/proc/$tool_pid/status")
	stop_tool INT
	expect_status 0
	[ "$kilobytes" -le 200000 ] || fail "the tool took $kilobytes KB"
	expect_equal "$(jq -r 'select(.path == "/proper") | "\(.side) \(.version) \(.status)"' "$tool_out" | sort | xargs)" \
		'client HTTP/1.1 200 client HTTP/2 200 server HTTP/1.1 200 server HTTP/2 200'
	expect_equal "$(jq -r 'select(.side and .path != "/proper" and .path != "/garbage") | .status' "$tool_out" | sort -u)" null
	expect_equal "$(jq -r 'select(.side) | .path' "$tool_out" | sort -u | xargs)" \
		'/bomb /endless /garbage /http1 /many /padded /proper /table /upgrade'
	expect_line '^httpsnoop: [0-9]+ requests were forgotten' "$tool_err"
	echo >&"$go"
	wait "$target_pid" || fail "$(cat "$target_err")"
	exec {go}>&-
done
