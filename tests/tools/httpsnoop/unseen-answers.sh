#!/bin/bash
# shares: http
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command jq

# Unseen responses: of 50 that are sent in one call, those after its first 1024 bytes, and one that
# is sent by splice(). Their requests are shown with an error and counted, and no other request has
# their status.
cat >"$T/server.py" <<'END'
import os, socket, tempfile
def splice(connection, data):
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        file.seek(0)
        reader, writer = os.pipe()
        os.splice(file.fileno(), writer, len(data))
        os.splice(reader, connection.fileno(), len(data))
        os.close(reader), os.close(writer)
def answer(status, path): return b"HTTP/1.1 %d Fine\r\nContent-Length: %d\r\n\r\n" % (status, len(path)) + path
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    connection, data = listener.accept()[0], b""
    while part := connection.recv(1 << 20):
        data += part
        if not data.endswith(b"\r\n\r\n"): continue
        paths = [line.split()[1] for line in data.split(b"\r\n") if line.startswith(b"GET")]
        data = b""
        if b"/spliced" in paths[0]: splice(connection, answer(202, paths[0]))
        else: connection.sendall(b"".join(answer(404 if b"after" in path else 200, path) for path in paths))
    connection.close()
END
cat >"$T/client.py" <<'END'
import socket, sys
port = int(sys.argv[1])
sys.stdin.readline()
def talk(*calls):
    connection = socket.create_connection(("127.0.0.1", port))
    for paths in calls:
        connection.sendall(b"".join(b"GET %s HTTP/1.1\r\nHost: a\r\n\r\n" % path for path in paths))
        data = b""
        while data.count(b"HTTP/1.1") < len(paths) or not data.endswith(paths[-1]): data += connection.recv(1 << 20)
    connection.close()
talk([b"/pipelined%02d" % i for i in range(50)], [b"/after1"])
talk([b"/before"], [b"/spliced"], [b"/after2"])
talk([b"/before"], [b"/spliced"])
talk([b"/spliced-first"])
END
start_target_and_wait /usr/bin/python3 -B "$T/server.py"
server_port=$(cat "$target_out") server_pid=$target_pid
mkfifo "$T/go"
exec 8<>"$T/go"
stdin=$T/go start_target /usr/bin/python3 -B "$T/client.py" "$server_port"
run_tool httpsnoop --json -s --no-tls --force-sockets lengths -p "$server_pid"
echo >&8
wait "$target_pid" || fail "$(cat "$target_err")"
wait_for_rows server 57
stop_tool INT
expect_status 0
jq -r 'select(.path) | "\(.path) \(.status // .error)"' "$tool_out" >"$T/rows"
expect_equal "$(grep -v pipelined "$T/rows")" '/after1 404
/before 200
/spliced response not understood
/after2 404
/before 200
/spliced response not understood
/spliced-first response not understood'
expect_equal "$(grep -c pipelined "$T/rows")" 50
seen=$(grep -c 'pipelined.* 200' "$T/rows")
expect_equal "$(sed -n "1,${seen}p" "$T/rows" | awk '$1 != sprintf("/pipelined%02d", NR - 1) || $2 != 200')" ''
expect_equal "$(grep -c 'pipelined.* response not understood' "$T/rows")" $((50 - seen))
expect_line "the responses to $((50 - seen + 3)) requests could not be parsed" "$tool_err"
