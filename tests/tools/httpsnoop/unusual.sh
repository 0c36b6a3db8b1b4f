#!/bin/bash
# shares: http
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command jq node

# Unusual requests: unregistered methods, lower case, empty lines before the request; compared with
# the requests that Node's own server accepts. For data that even Node rejects, only the number of
# responses is reported.
cat >"$T/server.js" <<'END'
const server = require("http").createServer((request, response) => {
	console.log(request.method + " " + request.url);
	response.end("ok");
});
server.listen(0, "127.0.0.1", () => console.log("port " + server.address().port));
END
cat >"$T/client.py" <<'END'
import socket, sys
def ask(text):
    connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    connection.sendall(text)
    while connection.recv(65536): pass
    connection.close()
tail = b" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
for method in b"GET", b"SOURCE", b"REBIND", b"UNBIND", b"QUERY", b"BASELINE-CONTROL", b"BREW", b"get", b"x-y_z.1": ask(method + b" /" + method + tail)
for lines in range(1, 4): ask(b"\r\n" * lines + b"GET /empty%d" % lines + tail)
ask(b"OPTIONS *" + tail)
ask(b"QUERY /" + b"a" * 1000 + tail)
for wrong in b"BAD\r\n\r\n", b"EHLO a\r\n\r\n", b"RETR /a\r\n\r\n": ask(wrong)
END
start_target_and_wait node "$T/server.js"
server=$(sed 's/port //' "$target_out")
for way in lengths calls; do
	: >"$target_out"
	run_tool httpsnoop --json --no-tls --force-sockets "$way" -p "$target_pid"
	/usr/bin/python3 "$T/client.py" "$server"
	wait_for_rows server 14
	stop_tool INT
	expect_status 0
	# Node rejects words that are not one of its methods; they are requests nevertheless.
	expect_equal "$(jq -r 'select(.status == 200) | "\(.method) \(.path)"' "$tool_out")" "$(cat "$target_out")"
	expect_equal "$(jq -r 'select(.status == 400) | .method' "$tool_out" | xargs)" 'BASELINE-CONTROL BREW get x-y_z.1'
	expect_line '"path":"\*","url":"a \*"' "$tool_out"
	expect_equal "$(cat "$tool_err")" 'httpsnoop: 3 responses followed a request that could not be parsed'
done
