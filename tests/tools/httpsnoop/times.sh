#!/bin/bash
# shares: http
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command jq

# Latencies on a connection with many requests, if the kernel side does not pass on the ends of
# bodies. They are never longer than what client and server measure themselves (the server from
# before the client sends until its own last call has returned), and never so short that they miss
# the end of the body, which the server sends 10 ms after the head.
cat >"$T/both.py" <<'END'
import os, socket, threading, time
def tell(side, size): os.write(1, b"%s %d %d\n" % (side, size, time.monotonic_ns() - begin))
def serve(listener):
    connection = listener.accept()[0]
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while line := connection.recv(4096):
        size = int(line.split()[1][1:])
        head = b"Content-Length: %d\r\n\r\n" % size
        if size % 2: head = b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % size
        connection.sendall(b"HTTP/1.1 200 OK\r\n" + head)
        time.sleep(.01)
        connection.sendall(b"x" * size + (b"\r\n0\r\n\r\n" if size % 2 else b""))
        tell(b"server", size)
        told.release()
told = threading.Semaphore(0)
listener = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=serve, args=(listener,), daemon=True).start()
client = socket.create_connection(listener.getsockname())
print("ready", flush=True)
input()
for size in range(1000, 1060):
    begin = time.monotonic_ns()
    client.sendall(b"GET /%d HTTP/1.1\r\nHost: a\r\n\r\n" % size)
    data, end = b"", b"0\r\n\r\n" if size % 2 else b"x" * size
    while not data.endswith(end): data += client.recv(16384)
    tell(b"client", size)
    told.acquire()
print("done", flush=True)
input()
END
for way in lengths calls; do
	mkfifo "$T/go-$way"
	exec {go}<>"$T/go-$way"
	stdin=$T/go-$way start_target_and_wait /usr/bin/python3 -u "$T/both.py"
	run_tool httpsnoop --json --no-tls --force-sockets "$way" -p "$target_pid"
	echo >&"$go"
	wait_for "grep -q done '$target_out'" 30
	wait_for_rows client 60
	wait_for_rows server 60
	stop_tool INT
	expect_status 0
	jq -r '"\(.side) \(.path) \(.latency_ns)"' "$tool_out" | tr -d / >"$T/seen"
	awk 'NR == FNR { took[$1, $2] = $3; next } { seen++ }
		$3 > took[$1, $2] || $3 < 10e6 { print $1, "of", $2, "took", took[$1, $2], "seen", $3; wrong++ }
		END { if (seen != 120 || wrong) { print seen, "rows"; exit 1 } }' "$target_out" "$T/seen" >"$T/wrong" || fail "$way: $(cat "$T/wrong")"
	expect_no_line . "$tool_err"
	echo >&"$go"
	wait "$target_pid"
done
