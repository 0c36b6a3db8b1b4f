#!/bin/bash
# ring: first
# shares: http
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command jq

# Responses without a body, even if they have a length, with HTTP/1 and HTTP/2, compared with
# nginx's log. Also a response that nginx sends before it has read a request line that is too long.
start_nginx 'location /none { return 204; } location /moved { return 301 /ok; }'
echo five >"$T/www/file"
chmod a+r "$T/www/file"
run_tool httpsnoop --json -s -p "$nginx_pid" -F
for options in "--http1.1 http://127.0.0.1:$port" "--http1.1 https://127.0.0.1:$tls_port" "--http2 https://127.0.0.1:$tls_port"; do
	read -r version url <<<"$options"
	curl -skI "$version" "$url/file" "$url/moved" "$url/missing" >"$T/heads"
	curl -sk "$version" -H 'If-Modified-Since: Fri, 01 Jan 2038 00:00:00 GMT' "$url/file" >"$T/body"
	curl -sk "$version" "$url/none" "$url/file" >"$T/body"
done
wait_for_rows server 18
expect_equal "$(rows server "$tool_out" | sort)" "$(sort "$access_log")"

long=/$(printf '%040000d' 0)
curl -s "http://127.0.0.1:$port$long" -o "$T/body" -w '%{http_code}' >"$T/status"
wait_for_rows server 19
stop_tool INT
expect_status 0
# curl may find the connection closed before it reads the response: nginx does not read the rest of
# the request.
expect_line '^(414|000)$' "$T/status"
expect_equal "$(jq -r '"\(.method) \(.status) \(.error) \(.path[:9]) \(.url[-6:])"' "$tool_out" | tail -n 1)" 'GET 414 null /00000000 000...'
expect_no_line . "$tool_err"
