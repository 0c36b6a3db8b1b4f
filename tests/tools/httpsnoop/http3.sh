#!/bin/bash
# timeout: 240
# shares: http trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command jq openssl

# HTTP/3 of programs with libnghttp3: Debian 13's curl (with OpenSSL's QUIC), and ngtcp2's server
# (with GnuTLS).
debian_root trixie curl ngtcp2-server
make_certificate "$T"
mkdir "$T/www"
echo hello >"$T/www/ok"
head -c 1000000 /dev/zero >"$T/www/big"
port=$(free_port)
start_target "${in_root[@]}" gtlsserver -q -d "$T/www" 127.0.0.1 "$port" "$T/key" "$T/cert"
url=https://127.0.0.1:$port
format='%{method} /%{urlnum} %{http_code} %{size_download}\n'
get=("${in_root[@]}" curl --http3-only -sk -w "$format")
wait_for "'${in_root[0]}' '${in_root[1]}' '${in_root[2]}' curl --http3-only -sk '$url/ok' >'$T/ready'" 30

# Prints the JSON rows of this server as lines like curl's.
rows_3() { # SIDE
	jq -r 'select(.side == "'"$1"'" and .version == "HTTP/3" and ((.local, .peer) | strings | endswith(":'"$port"'"))) |
		"\(.method) /\(.path | {"/ok": 0, "/big": 1, "/none": 2}[.]) \(.status) \(.bytes)"' "$tool_out"
}
rows_of_port() { jq -c 'select((.local, .peer) | strings | endswith(":'"$port"'"))' "$tool_out"; }

# Several requests on a connection; with a body; without one.
for way in lengths calls; do
	run_tool httpsnoop --json --force-sockets "$way"
	"${get[@]}" -o "$T/a" "$url/ok" -o "$T/b" "$url/big" -o "$T/c" "$url/none?q=1" >"$T/curl"
	"${get[@]}" -o "$T/a" -d 12345 "$url/ok" >>"$T/curl"
	"${get[@]}" -o "$T/a" -I "$url/ok" >>"$T/curl"
	wait_for "[ \"\$(grep -c '\"version\":\"HTTP/3\"' '$tool_out')\" -ge 10 ]" 20
	stop_tool INT
	expect_status 0
	expect_equal "$(rows_3 client)" "$(cat "$T/curl")"
	expect_equal "$(rows_3 server)" "$(cat "$T/curl")"
	expect_equal "$(rows_of_port | jq -r 'select(.side == "client") | "\(.tls) \(.host) \(.peer)"' | sort -u)" \
		"true 127.0.0.1:$port 127.0.0.1:$port"
	expect_equal "$(rows_of_port | jq -r 'select(.side == "server") | "\(.peer) \(.local) \(.request_bytes)"' | sort -u | xargs)" \
		"null 127.0.0.1:$port 0 null 127.0.0.1:$port 5"
	expect_equal "$(rows_of_port | jq -r 'select(.error or .latency_ns < .first_byte_ns)')" ''
	expect_no_line 'QUIC connections of \(curl\|gtlsserver\)' "$tool_out"
done

# A connection that was open before, in the middle of a response (curl cannot write all of it). QPACK's
# table has fields of the next request, which is complete.
mkfifo "$T/full"
exec 8<>"$T/full"
start_target "${get[@]}" -o "$T/full" "$url/big" -o "$T/b" "$url/big?second" 8<&-
timeout 30 head -c 1 <&8 >"$T/first"
run_tool httpsnoop --json
cat "$T/full" >"$T/rest" 8<&- &
exec 8<&-
wait_for "! alive $target_pid" 30
wait_for "jq -e 'select(.side == \"client\" and .path == \"/big\")' '$tool_out' >'$T/found'" 20
stop_tool INT
expect_status 0
rows_of_port >"$T/ours"
expect_equal "$(rows client "$T/ours")" 'GET /big?second 200 1000000'
expect_equal "$(jq -r .host "$T/ours" | sort -u)" "127.0.0.1:$port"
