#!/bin/bash
# shares: http
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command jq

# Bytes that are not a request have no row, an invalid response has no status, and a request that is
# answered before its head ends has its response, on both sides. A target that is not a path is not
# taken for one on the host.
cat >"$T/both.py" <<'END'
import socket, sys, threading
ok = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
host = b"\r\nHost: h\r\n\r\n"
cases = [
    (b"GET\r\n\r\n", ok),
    (b"GET /without-version\r\n\r\n", ok),
    (b"GET /without-version\r\n", b"<html>as HTTP/0.9 has it</html>"),
    (b"GET /two words HTTP/1.1" + host, ok),
    (b"GET /version HTTP/9.9" + host, ok),
    (b"GET  /blanks HTTP/1.1" + host, ok),
    (b"hello world\r\n", ok),
    (b"GET /words HTTP/1.1" + host, b"HTTP/1.1 not a number\r\n\r\n"),
    (b"GET /short HTTP/1.1" + host, b"HTTP/1.1 99 low\r\n\r\n"),
    (b"GET /long HTTP/1.1" + host, b"HTTP/1.1 1000 high\r\n\r\n"),
    (b"GET /none HTTP/1.1" + host, b"HTTP/1.1\r\n\r\n"),
    (b"GET /other HTTP/1.1" + host, b"220 mail.example.org\r\n"),
    (b"GET /silent HTTP/1.1" + host, b""),
    (b"GET /interim HTTP/1.1" + host, b"HTTP/1.1 100 Continue\r\n\r\n"),
    (b"GET /headers HTTP/1.1\r\nno colon\r\n: no name\r\nno token: x\r\n\r\n", ok),
    (b"GET /begun HTTP/1.1\r\nHost: h\r\nAccept: ", b"HTTP/1.1 408 Timeout\r\nContent-Length: 0\r\n\r\n"),
    (b"GET word HTTP/1.1" + host, ok),
]
server = socket.create_server(("127.0.0.1", 0))
print("ready", flush=True)
def ask():
    for request, _ in cases:
        connection = socket.create_connection(server.getsockname())
        connection.sendall(request)
        while connection.recv(65536): pass
        connection.close()
for line in sys.stdin:
    asking = threading.Thread(target=ask)
    asking.start()
    for _, answer in cases:
        connection, _ = server.accept()
        connection.recv(65536)
        connection.sendall(answer)
        connection.close()
    asking.join()
END
mkfifo "$T/go"
exec 8<>"$T/go"
stdin=$T/go start_target_and_wait /usr/bin/python3 "$T/both.py"
for way in lengths calls; do
	run_tool httpsnoop --json --no-tls --force-sockets "$way" -p "$target_pid"
	echo >&8
	wait_for_rows server 10
	wait_for_rows client 10
	stop_tool INT
	expect_status 0
	for side in server client; do
		expect_equal "$(jq -r 'select(.side == "'$side'") | "\(.url) \(.status) \(.error)"' "$tool_out")" \
			"h/words null response not understood
h/short null response not understood
h/long null response not understood
h/none null response not understood
h/other null response not understood
h/silent null no response seen
h/interim null no response seen
/headers 200 null
h/begun... 408 null
h word 200 null"
	done
	expect_line '^httpsnoop: 12 responses followed a request that could not be parsed$' "$tool_err"
done
