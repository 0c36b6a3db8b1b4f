#!/bin/bash
# shares: http
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command jq

# Methods outside of HTTP's own standard: WebDAV, caches, UPnP.
start_nginx 'location /dav { return 207 "many\n"; }'
workers=$(pgrep -P "$nginx_pid" | sed 's/^/-p /')
methods='GET PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK REPORT SEARCH PURGE MKCALENDAR VERSION-CONTROL M-SEARCH NOTIFY SUBSCRIBE UNSUBSCRIBE'
for way in lengths calls; do
	# shellcheck disable=SC2086 # words
	run_tool httpsnoop --json --no-tls --force-sockets "$way" $workers
	for method in $methods; do
		curl -s -X "$method" "http://127.0.0.1:$port/dav" >"$T/body"
	done
	wait_for_rows server "$(wc -w <<<"$methods")"
	stop_tool INT
	expect_status 0
	expect_equal "$(jq -r 'select(.status) | .method' "$tool_out" | tr '\n' ' ')" "$methods "
	expect_no_line . "$tool_err"
done
