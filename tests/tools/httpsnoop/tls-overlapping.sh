#!/bin/bash
# shares: http
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command jq openssl gcc

# Calls of a TLS library that overlap on a thread: coroutines that wait inside of them, and TLS
# inside of TLS.
gcc -O1 -o "$T/coroutines" "$ROOT/tests/tools/httpsnoop/tls_coroutines.c" -lssl -lcrypto 2>"$T/gcc" ||
	skip "libssl-dev is not installed: $(head -n 1 "$T/gcc")"
make_certificate "$T"
start_target_and_wait /usr/bin/python3 "$ROOT/tests/targets/scripts/http_server.py" "$T"
server_port=$(cat "$target_out")
start_target_and_wait /usr/bin/python3 "$ROOT/tests/targets/scripts/http_server.py" "$T" proxy
proxy_port=$(cat "$target_out")

mkfifo "$T/go"
exec 8<>"$T/go"
for way in lengths calls; do
	stdin=$T/go start_target "$T/coroutines" "$server_port" 8
	run_tool httpsnoop -c --json --force-sockets "$way" -p "$target_pid"
	echo >&8
	wait_for "! alive $target_pid" 30
	stop_tool
	expect_status 0
	expect_equal "$(jq -r 'select(.path) | "\(.path) \(.status // "-")"' "$tool_out" | sort)" "$(sort "$target_out")"
	expect_equal "$(jq -r 'select(.path) | "\(.path[1:2]) \(.host) \(.local)"' "$tool_out" | sort -u | cut -d ' ' -f 1,2)" \
		$'0 host0\n1 host1\n2 host2'
	expect_equal "$(jq -r 'select(.path) | .peer' "$tool_out" | sort -u)" "127.0.0.1:$server_port"
	expect_no_line '"type":' "$tool_out"
done

# A client that reaches its server by a proxy has two TLS connections, one inside the other: both
# are shown.
need_command curl
get=(curl -sk --proxy-insecure --http1.1 -x "https://127.0.0.1:$proxy_port" -o "$T/body" -w '%{http_code}\n')
run_tool httpsnoop --json --comm curl
"${get[@]}" "https://127.0.0.1:$server_port/2a" "https://127.0.0.1:$server_port/3b" -o "$T/body" >"$T/statuses"
wait_for_rows client 3
stop_tool INT
expect_status 0
expect_equal "$(cat "$T/statuses")" $'202\n203'
# Another test may also run curl.
expect_equal "$(jq -r 'select(.peer == "127.0.0.1:'"$proxy_port"'") | "\(.method) \(.url) \(.status // "-") \(.tls) \(.peer)"' "$tool_out")" \
	"CONNECT 127.0.0.1:$server_port 200 true 127.0.0.1:$proxy_port
GET 127.0.0.1:$server_port/2a 202 true 127.0.0.1:$proxy_port
GET 127.0.0.1:$server_port/3b 203 true 127.0.0.1:$proxy_port"
