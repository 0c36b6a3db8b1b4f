#!/bin/bash
# shares: http
source "$(dirname "$0")/../../lib.sh"
need_command jq

# QUIC connections without a known library of HTTP/3 are reported: counts the datagrams that start
# connections, with all calls that send them, and no other datagrams. The first datagram is the example in RFC 9001, A.2.
cat >"$T/client.py" <<'END'
import socket, sys
receiver = socket.create_server(("127.0.0.1", 0))
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sender.connect(receiver.getsockname())
initial = bytes.fromhex("c000000001088394c8f03e5157080000449e7b9aec34d1b1c98dd7689fb8ec11").ljust(1200, b"\1")
second = bytes.fromhex("d76b3343cf088394c8f03e515708").ljust(1252, b"\2")
sys.stdin.readline()
def send(call, *arguments):
    try: call(*arguments)
    except ConnectionRefusedError: call(*arguments)
send(sender.send, initial)
send(sender.sendmsg, [second])
send(sender.send, initial[:1199])  # too short
send(sender.send, b"\x40" + initial[1:])  # not the start of a connection
send(sender.send, b"text" * 400)
END
mkfifo "$T/go"
exec 8<>"$T/go"
for way in lengths calls; do
	stdin=$T/go start_target /usr/bin/python3 "$T/client.py"
	run_tool httpsnoop --json --force-sockets "$way" -p "$target_pid"
	echo >&8
	stop_tool
	expect_status 0
	expect_equal "$(jq -c 'select(.type == "lost") | [.count, .what, .reason]' "$tool_out")" \
		"[2,\"QUIC connections of python3\",\"no use of libnghttp3 was seen\"]"
done
