#!/bin/bash
# timeout: 120
# alone: 20,000 requests come at once, and none may be lost
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command h2load jq

# 10,000 connections at once with two requests each: both sides of each request are shown, with the
# server's own numbers, and no losses are reported.
ulimit -n 20000 2>/dev/null || skip 'a process cannot open 20000 files'
start_nginx
run_tool httpsnoop --json --no-tls --buffer 64M --comm nginx --comm h2load
h2load --h1 -t 1 -c 10000 -n 20000 "http://127.0.0.1:$port/ok" >"$T/load" 2>&1 || fail "h2load: $(tail -n 3 "$T/load")"
wait_for_rows server "$(wc -l <"$access_log")"
wait_for_rows client "$(wc -l <"$access_log")"
stop_tool INT
expect_status 0
expect_line '^requests: 20000 total, 20000 started, 20000 done, 20000 succeeded' "$T/load"
expect_equal "$(rows server "$tool_out" | sort | uniq -c)" "$(sort "$access_log" | uniq -c)"
expect_equal "$(rows client "$tool_out" | sort | uniq -c)" "$(sort "$access_log" | uniq -c)"
expect_equal "$(jq -r 'select(.side == "server") | .peer' "$tool_out" | sort | uniq -c | awk '{ n[$1]++ } END { for (i in n) print i, n[i] }')" '2 10000'
expect_no_line . "$tool_err"
