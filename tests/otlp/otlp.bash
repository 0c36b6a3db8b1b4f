# shellcheck shell=bash disable=SC2034,SC2154 # variables from lib.sh, and variables for the tests
# For tests of --otlp: starts a receiver, and decodes what it took.

# Starts tests/otlp/receive; sets collector (its URL) and collected (its folder).
start_collector() {
	need_command /usr/bin/python3
	/usr/bin/python3 -c 'import google.protobuf' 2>/dev/null || skip 'python3-protobuf is not installed'
	collected=$T/collected
	mkdir -p "$collected"
	start_target "$ROOT/tests/otlp/receive" "$collected"
	collector_pid=$target_pid
	wait_for "[ -s '$collected/port' ]" 20
	collector=http://127.0.0.1:$(<"$collected/port")
}

# Prints a port that nothing uses now.
free_port() {
	/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Prints the spans that the collector took, one JSON object a line.
collected_spans() {
	/usr/bin/python3 "$ROOT/tests/otlp/decode" "$collected"/*.bin
}

# Prints the points of metrics in the last request that the collector took.
collected_points() {
	/usr/bin/python3 "$ROOT/tests/otlp/decode" --metrics "$collected/$(ls "$collected" | sed -n 's/\.bin$//p' | sort -n | tail -n 1).bin"
}
