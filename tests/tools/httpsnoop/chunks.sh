#!/bin/bash
# shares: http
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command jq

# Recognizes the end of a chunked response for any size of the calls that send and receive it, in
# one piece or many, and with or without a following request on its connection: the response is
# complete, and its size is known.
cat >"$T/server.py" <<'END'
import socket, threading
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
def answer(connection, size, chunk, call, is_vector):
    parts = [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"]
    for begin in range(0, size, chunk):
        length = min(chunk, size - begin)
        parts += [b"%x\r\n" % length, b"\xab" * length, b"\r\n"]
    parts.append(b"0\r\n\r\n")
    if is_vector: return connection.sendmsg(parts)
    whole = b"".join(parts)
    for begin in range(0, len(whole), call or len(whole)): connection.sendall(whole[begin:begin + (call or len(whole))])
def serve(connection):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while line := connection.recv(65536):
        answer(connection, *map(int, line.split()[1].decode().strip("/").split("-")))
    connection.close()
while True: threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
END
start_target_and_wait /usr/bin/python3 -u "$T/server.py"
server=$(cat "$target_out")

# SIZE-CHUNK-CALL-VECTOR: a body of SIZE bytes in chunks of CHUNK bytes, with CALL bytes sent per
# call (0: all in one). VECTOR 1: one sendmsg() sends all pieces.
answers='1500-1500-0-0 5000-5000-0-0 5000-500-0-0 5000-5000-0-1 6000-500-0-1 20000-20000-0-0 20000-4096-4096-0 100000-8192-0-0 100000-30000-1000-0'
for way in lengths calls; do
	run_tool httpsnoop --json --no-tls --force-sockets "$way" --host "127.0.0.1:$server"
	urls=()
	for answer in $answers; do
		curl -s "http://127.0.0.1:$server/$answer" >"$T/body" # its own connection
		urls+=("http://127.0.0.1:$server/$answer")
	done
	curl -s "${urls[@]}" >"$T/body"
	wait_for_rows server 18
	wait_for_rows client 18
	stop_tool INT
	expect_status 0
	expect_no_line '"error"' "$tool_out"
	for answer in $answers; do
		size=${answer%%-*}
		# The unseen bytes may be chunk lengths and line ends.
		jq -s -e --arg path "/$answer" --argjson size "$size" \
			'map(select(.path == $path and .bytes >= $size and .bytes <= $size * 1.03)) | length == 4' "$tool_out" >"$T/right" ||
			fail "$way: $answer: $(grep -F "$answer" "$tool_out")"
	done
	# Sizes that differ from the body's are marked.
	jq -s -e 'all(.[]; (.bytes == (.path[1:] | split("-")[0] | tonumber)) == (.bytes_inexact != true))' "$tool_out" >"$T/marked" ||
		fail "$way: not marked: $(jq -c '[.path, .bytes, .bytes_inexact]' "$tool_out")"
	# The size of a body of one chunk is exact.
	expect_count 4 '"bytes":5000,.*"path":"/5000-5000-0-0"' "$tool_out"
done
