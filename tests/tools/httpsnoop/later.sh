#!/bin/bash
# shares: http
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command jq

# By name: processes that start later are also traced, with and without TLS, whether or not a
# process of that name already runs, with or without a TLS library.
start_nginx
cp /bin/sleep "$T/curl"
start_target "$T/curl" 100
for names in '--comm curl' '--comm nginx --comm curl'; do
	# shellcheck disable=SC2086 # words
	run_tool httpsnoop --json $names
	for i in 1 2 3 4 5; do
		curl -sk "https://127.0.0.1:$tls_port/ok?$i" -o "$T/body"
		curl -s "http://127.0.0.1:$port/ok?$i" -o "$T/body"
	done
	wait_for "[ \"\$(grep -c '\"side\":\"client\".*:\($port\|$tls_port\)' '$tool_out')\" -ge 10 ]" 20
	stop_tool INT
	expect_status 0
	# shellcheck disable=SC2016 # variables of jq
	expect_equal "$(jq -r --arg peer "127.0.0.1:$tls_port" 'select(.side == "client" and .peer == $peer) | .url' "$tool_out" | grep -c '/ok?[1-5]$')" 5
done

# The same holds for probes on such a library.
run_tool trace --comm curl 'ssl:SSL_write "%d", arg3'
curl -sk "https://127.0.0.1:$tls_port/ok" -o "$T/body"
wait_for "grep -q SSL_write '$tool_out'" 10
stop_tool INT
expect_status 0
expect_no_line . "$tool_err"
