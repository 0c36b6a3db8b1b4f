#!/bin/bash
# shares: redis
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/otlp/otlp.bash"
need_command jq unshare

# A collector is found by a name that only a name server knows, also one that a search domain
# completes; if nobody knows it, a note says so.
start_redis
start_collector
cat >"$T/names.py" <<'PY'
import socket, sys
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(('127.0.0.153', 53))
open(sys.argv[1], 'w').write('ready\n')
while True:
    question, client = server.recvfrom(512)
    end = question.index(b'\0', 12) + 5
    name = question[12:end - 5].decode('latin-1')
    kind = question[end - 4:end - 2]
    print(name.encode('unicode_escape').decode(), kind[1], flush=True)
    known = name == '\x04otel\x04test' and kind == b'\0\x01'
    answer = b'\xc0\x0c\0\x01\0\x01\0\0\0\x05\0\x04\x7f\0\0\x01' if known else b''
    code = b'\x81\x80' if name.endswith('\x04otel\x04test') else b'\x81\x83'
    server.sendto(question[:2] + code + b'\0\x01' + (b'\0\x01' if known else b'\0\0') + b'\0\0\0\0' + question[12:end] + answer, client)
PY
start_target /usr/bin/python3 "$T/names.py" "$T/names-are-ready"
names_out=$target_out
wait_for "[ -s '$T/names-are-ready' ]" 20
printf 'search else.example test\nnameserver 127.0.0.153\noptions ndots:2\n' >"$T/resolv.conf"
resolv=$(realpath /etc/resolv.conf)
exported() { # HOST
	start_tool_with_names rediscommands -p "$redis_pid" --json -c get --otlp "http://$1:${collector##*:}"
	redis-cli -s "$redis_socket" get "$1" >"$T/answer"
	wait_for "grep -q '\"get\"' '$tool_out'" 10
	stop_tool INT
	expect_status 0
}
# run_tool starts $BIN/NAME: put a script there that has its own /etc/resolv.conf.
mkdir "$T/bin"
printf '#!/bin/sh\nmount --bind %q %q && exec %q "$@"\n' "$T/resolv.conf" "$resolv" "$BIN/rediscommands" >"$T/bin/inside"
printf '#!/bin/sh\nexec unshare --mount %q "$@"\n' "$T/bin/inside" >"$T/bin/rediscommands"
chmod +x "$T/bin"/*
start_tool_with_names() { BIN=$T/bin run_tool "$@"; }

for host in otel.test otel; do
	rm -f "$collected"/*.bin
	exported "$host"
	expect_line "^rediscommands: sent 1 span to http://$host:[0-9]+/v1/traces\$" "$tool_err"
	expect_equal "$(collected_spans | jq -r .name)" get
done
# ndots:2: the domains come first
expect_equal "$(awk '/else.*example/ && / 1$/ { print; exit }' "$names_out")" '\x04otel\x04test\x04else\x07example 1'
exported unknown.name
expect_line '^rediscommands: cannot send spans to http://unknown.name:[0-9]+/v1/traces: neither /etc/hosts nor a name server knows "unknown.name"' "$tool_err"
expect_line '^rediscommands: lost 1 spans: the collector had not taken them when the tool ended$' "$tool_err"
