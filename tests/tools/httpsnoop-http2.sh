#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/http.bash"
need_command jq h2load

# HTTP/2 under TLS: ten requests at a time on each connection, small answers and such of many frames; each once.
start_nginx
head -c 7000 /dev/zero >"$T/www/some"
head -c 400000 /dev/zero >"$T/www/big"
chmod a+r "$T"/www/*
workers=$(pgrep -P "$nginx_pid" | sed 's/^/-p /')
# shellcheck disable=SC2086 # words
run_tool httpsnoop --json $workers
h2load -n 1000 -c 4 -m 10 "https://127.0.0.1:$tls_port/ok" >"$T/load"
h2load -n 200 -c 4 -m 10 "https://127.0.0.1:$tls_port/some" >>"$T/load"
h2load -n 20 -c 2 -m 4 "https://127.0.0.1:$tls_port/big" >>"$T/load"
curl -sk --http2 "https://127.0.0.1:$tls_port/missing?x=1" >"$T/body"
wait_for_rows server 1221
stop_tool INT
expect_status 0
expect_equal "$(rows server "$tool_out" | cut -d ' ' -f 1-3 | sort)" "$(cut -d ' ' -f 1-3 "$access_log" | sort)"
expect_equal "$(jq -r .version "$tool_out" | sort -u)" HTTP/2
expect_no_line '"error"' "$tool_out"
expect_no_line . "$tool_err"
