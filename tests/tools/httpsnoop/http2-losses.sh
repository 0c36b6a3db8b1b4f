#!/bin/bash
# timeout: 240
# shares: http
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command jq

# HTTP/2 that cannot be followed completely: a call with more frames than the kernel side reads, and
# one with more heads than it passes on. Both are counted with their reason, for the client and the
# server. The rows that are shown are in nginx's log; other connections are followed.
h2c_port=$(free_port)
start_nginx "listen 127.0.0.1:$h2c_port http2;"
workers=$(pgrep -P "$nginx_pid" | sed 's/^/-p /')
cat >"$T/client.py" <<'END'
import socket, sys
from http2_frames import *
def talk(*calls):
    connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sendall(PREFACE + frame(SETTINGS))
    for call, answers in calls:
        connection.sendall(call)
        assert read_answers(connection, answers)
    connection.close()
window = frame(WINDOW_UPDATE, 0, 0, (1).to_bytes(4, "big"))
# Bytes of a body that look like frames are not frames, not even if the tool has lost track of where
# bodies are.
body = get(9, b"/false")
post = frame(HEADERS, END_HEADERS, 5, b"\x83\x86\x04" + text(b"/ok?post") + b"\x01" + text(b"a"))
many = (get(1, b"/ok?many"), 1), (window * 1200 + get(3, b"/ok?unseen"), 1), (post + frame(DATA, END_STREAM, 5, body) + get(7, b"/ok?unseen2"), 2)
large = header(b"x", b"v" * 9000)
long = (get(1, b"/ok?long", host=KEPT_HOST), 1), (get(3, b"/ok?first", large) + get(5, b"/ok?second", large, b"\x41" + text(b"other")) + get(7, b"/ok?third"), 3), \
    (get(9, b"/ok?before", large) + frame(HEADERS, END_STREAM, 11, get(11, b"/ok?begun", large)[9:]), 1), \
    (frame(CONTINUATION, END_HEADERS, 11, header(b"y", b"z")), 1), (get(13, b"/ok?after", host=LAST_KEPT), 1)
sys.stdin.readline()
talk(*(many if sys.argv[2] == "many" else long))
talk((get(1, b"/ok?other"), 1))
END
trace_client() { # many|long ARG…; nginx's log is in $T/log
	local which=$1
	shift
	: >"$access_log"
	rm -f "$T/go" && mkfifo "$T/go"
	exec {go}<>"$T/go"
	stdin=$T/go start_target env PYTHONPATH="$ROOT/tests/targets/scripts" /usr/bin/python3 -B "$T/client.py" "$h2c_port" "$which"
	# shellcheck disable=SC2086 # words
	run_tool httpsnoop --no-tls "$@" $workers -p "$target_pid"
	echo >&"$go"
	wait "$target_pid" || fail "$(cat "$target_err")"
	exec {go}>&-
	wait_for "[ \"\$(grep -c 'ok?other' '$tool_out')\" -ge 2 ]" 20
	wait_for "[ \"\$(wc -l <'$access_log')\" -ge 5 ]" 20
	stop_tool INT
	expect_status 0
	sort "$access_log" >"$T/log"
}
# Prints how many calls of both sides were lost, according to the lines or the objects.
lost_calls() { awk -v "why=: $1" '/^httpsnoop: lost / && substr($0, index($0, why)) == why { sum += $3 } END { print sum + 0 }' "$tool_err"; }
lost_calls_in_json() { jq -s --arg why "$1" 'map(select(.type == "lost" and .what == "calls" and .reason == $why) | .count) | add' "$tool_out"; }
expect_losses() { # many|long CALLS REASON URL…; checks all rows of each side
	local which=$1 calls=$2 reason=$3 way side
	shift 3
	for way in lengths calls; do
		trace_client "$which" --json --force-sockets "$way"
		expect_equal "$(lost_calls_in_json "$reason")" "$calls"
		expect_equal "$(lost_calls "$reason")" "$calls"
		for side in server client; do
			jq -c "select(.side == \"$side\")" "$tool_out" >"$T/ours"
			expect_equal "$(jq -r .url "$T/ours" | sed 's/^[^/]*.//; s/\.*$//' | sort | xargs)" "$*"
			rows "$side" "$T/ours" | sed 's/\.\.\. / /' | sort >"$T/rows"
			expect_equal "$(comm -23 "$T/rows" "$T/log")" ''
			expect_no_line '"error"' "$T/ours"
		done
	done
	trace_client "$which"
	expect_equal "$(lost_calls "$reason")" "$calls"
	expect_count $((2 * $#)) ' GET +200 ' "$tool_out"
	expect_no_line 'false|second|unseen|begun|seen' "$tool_out"
}
expect_losses many 2 'the frames of their HTTP/2 connection could not be followed any further' 'ok?many' 'ok?other'
expect_losses long 4 'they have more HTTP/2 frames than fit into an event' 'ok?after' 'ok?before' 'ok?first' 'ok?long' 'ok?other'
# The host of a request is unknown if its head refers to a head that was not passed on.
expect_line ' GET +200 .* /ok\?after' "$tool_out"
