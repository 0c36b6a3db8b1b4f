# shellcheck shell=bash
# What the tests of gohttp share: source it behind lib.sh. $program is a program that makes and serves requests.
source "$(dirname "$0")/go.bash"
need_command strip
program=$T/web
build_go "$program" web.go

# "METHOD STATUS BYTES PATH ERROR" of the JSON lines of requests, without those of /n/…
requests() { # FILE
	sed -n '/"path":"\/n\//d; s/.*"method":"\([^"]*\)",\("status":\([0-9]*\),\)\?\("hijacked":true,\)\?\("error":"\([^"]*\)",\)\?"latency_ns":[0-9]*,\("bytes":\([0-9]*\),\)\?"host":"[^"]*","path":"\([^"]*\)".*/\1 \3 \8 \9 \6/p' "$1" |
		sed 's/ *$//'
}

# The numbers of those that were answered.
numbers() { # FILE
	sed -n 's/.*"status":200,.*"path":"\/n\/\([0-9]*\)".*/\1/p' "$1" | sort -n
}

# What the program requests, each once, with its answer or error: HTTP/1 and HTTP/2, redirects, timeouts, 400 at once.
expect_client() { # PROGRAM
	run "$BIN/gohttp" --json -- "$1"
	expect_status 0
	expect_line '^done$' "$tool_out"
	expect_no_line . "$tool_err"
	local both='GET 200 5 /
GET 302 36 /old
GET 200 5 /new
GET 404 19 /missing
GET 418 0 /teapot
GET   /panic EOF
GET 200 5 /a/b
POST 200 5 /post
GET   /slow context deadline exceeded'
	# The stream's number is that of the request, as Go's transport counts them.
	expect_equal "$(requests "$tool_out" | sed 's/stream ID [0-9]*/stream/')" "$both
GET   /refused dial tcp: connect: connection refused
${both/EOF/stream error: stream; INTERNAL_ERROR}"
	expect_equal "$(numbers "$tool_out")" "$(seq 0 399)"
	expect_equal "$(grep -c '"goid":1,' "$tool_out")" 19
	expect_count 2 '"host":"127.0.0.1:[0-9]*","path":"/a/b","url":"https?://127.0.0.1:[0-9]*/a/b\?q=1&r=%20"' "$tool_out"
}

# The same of what it serves. The client tries again what fails on a connection that was there before.
expect_server() { # PROGRAM
	run "$BIN/gohttp" --server --json -- "$1"
	expect_status 0
	expect_line '^done$' "$tool_out"
	expect_no_line . "$tool_err"
	local first both='GET 200 5 /
GET 302 36 /old
GET 200 5 /new
GET 404 19 /missing
GET 418 0 /teapot
GET   /panic panic
GET 200 5 /a/b
POST 200 5 /post'
	# The last ones may still be under way when the program ends; and the handlers of HTTP/2 run beside each other.
	first=$(requests "$tool_out" | sed '/slow/q' | sed '/slow/d' | uniq)
	expect_equal "$first" "$both"
	expect_equal "$(requests "$tool_out" | sed '1,/slow/d' | sed '/slow/d' | sort)" "$(sort <<<"$both")"
	expect_equal "$(numbers "$tool_out")" "$(seq 0 399)"
}
