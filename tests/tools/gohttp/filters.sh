#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/gohttp.bash"

# Filters of requests, and summaries.
shows() { # LINES OPTION…
	local lines=$1
	shift
	run "$BIN/gohttp" --json "$@" -- "$program"
	expect_status 0
	expect_equal "$(requests "$tool_out")" "$lines"
}
shows 'GET 404 19 /missing
GET 418 0 /teapot
GET 404 19 /missing
GET 418 0 /teapot' --status 4xx
shows 'GET 418 0 /teapot
GET 418 0 /teapot' --status 418
shows 'GET   /refused dial tcp: connect: connection refused' --status error --host '127.0.0.1:1'
shows 'GET 418 0 /teapot
GET 418 0 /teapot' --path /te
shows '' --host '*.example.org'
shows 'GET 418 0 /teapot
GET   /refused dial tcp: connect: connection refused
GET 418 0 /teapot' --method post,get --path /te --path /refused --status 5xx,418 --status error
shows '' --comm other
run "$BIN/gohttp" --json -m 40 --path /slow -- "$program"
expect_count 2 '"path":"/slow"' "$tool_out"
run "$BIN/gohttp" -M 3 -- "$program"
expect_count 3 ' GET ' "$tool_out"
run "$BIN/gohttp" --json -Z 16 --path /a -- "$program"
expect_count 2 '"host":"127.0.0.1:' "$tool_out"

run "$BIN/gohttp" --summary -- "$program"
expect_status 0
expect_line '^ +COUNT +ERRORS +P50 +P99 URL$' "$tool_out"
expect_line '^ +400 +0 +[0-9.]+[num]?s +[0-9.]+[num]?s 127\.0\.0\.1:[0-9]+/n/\*$' "$tool_out"
expect_line '^ +1 +1 +[0-9.]+[num]?s +[0-9.]+[num]?s 127\.0\.0\.1:1/refused$' "$tool_out"
run "$BIN/gohttp" -S --json -- "$program"
expect_line '^\{"time_ns":[0-9]+,"count":400,"errors":0,"p50_ns":[0-9]+,"p99_ns":[0-9]+,"url":"127.0.0.1:[0-9]+/n/\*"\}$' "$tool_out"
