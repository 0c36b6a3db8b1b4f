#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/gohttp.bash"

# Every request that a program makes, once, with its answer or error: HTTP/1 and HTTP/2, redirects, timeouts, 400 at once.
each_once() { # PROGRAM
	run "$BIN/gohttp" --json -- "$1"
	expect_status 0
	expect_line '^done$' "$tool_out"
	expect_no_line . "$tool_err"
	both='GET 200 5 /
GET 302 36 /old
GET 200 5 /new
GET 404 19 /missing
GET 418 0 /teapot
GET   /panic EOF
GET 200 5 /a/b
POST 200 5 /post
GET   /slow context deadline exceeded'
	expect_equal "$(requests "$tool_out")" "$both
GET   /refused dial tcp: connect: connection refused
${both/EOF/http.http2StreamError}"
	expect_equal "$(sed -n 's/.*"status":200,.*"path":"\/n\/\([0-9]*\)".*/\1/p' "$tool_out" | sort -n)" "$(seq 0 399)"
	expect_equal "$(grep -c '"goid":1,' "$tool_out")" 19
	expect_count 2 '"host":"127.0.0.1:[0-9]*","path":"/a/b","url":"https?://127.0.0.1:[0-9]*/a/b\?q=1&r=%20"' "$tool_out"
}
each_once "$program"

# Without symbols and debug information.
strip "$program"
each_once "$program"

run "$BIN/gohttp" -- "$program"
expect_status 0
expect_line '^TIME +PID +COMM +GOID +METHOD +STATUS +MS +BYTES URL$' "$tool_out"
expect_line '^[0-9:]{8} +[0-9]+ +web +1 +GET +302 +[0-9.]+ +36 http://127\.0\.0\.1:[0-9]+/old$' "$tool_out"
expect_line ' GET +- +[0-9.]+ +- http://127\.0\.0\.1:1/refused \(dial tcp: connect: connection refused\)$' "$tool_out"
