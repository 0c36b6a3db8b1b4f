# shellcheck shell=bash
# For the tests of gohttp. Source this file after lib.sh. $program makes and serves requests.
source "$ROOT/tests/tools/go.bash"
need_command strip
program=$T/web
build_go "$program" web.go

# Prints the requests in gohttp's JSON, except those of /n/…, as "METHOD STATUS BYTES PATH ERROR".
requests() { # FILE
	sed -n '/"path":"\/n\//d; s/.*"method":"\([^"]*\)",\("status":\([0-9]*\),\)\?\("hijacked":true,\)\?\("error":"\([^"]*\)",\)\?"latency_ns":[0-9]*,\("bytes":\([0-9]*\),\)\?"host":"[^"]*","path":"\([^"]*\)".*/\1 \3 \8 \9 \6/p' "$1" |
		sed 's/ *$//'
}

# Prints N of each request of /n/N that was answered.
numbers() { # FILE
	sed -n 's/.*"status":200,.*"path":"\/n\/\([0-9]*\)".*/\1/p' "$1" | sort -n
}

# Checks that gohttp shows each request of the program's client once, with its response or error:
# HTTP/1 and HTTP/2, redirects, timeouts, 400 requests at the same time.
expect_client() { # PROGRAM
	run "$BIN/gohttp" --json -- "$1"
	expect_status 0
	expect_equal "$(cat "$tool_err")" done # the program's own output
	local both='GET 200 5 /
GET 302 36 /old
GET 200 5 /new
GET 404 19 /missing
GET 418 0 /teapot
GET   /panic EOF
GET 200 5 /a/b
POST 200 5 /post
GET   /slow context deadline exceeded'
	# Without the stream IDs: they depend on how many requests Go's transport has sent before.
	expect_equal "$(requests "$tool_out" | sed 's/stream ID [0-9]*/stream/')" "$both
GET   /refused dial tcp: connect: connection refused
${both/EOF/stream error: stream; INTERNAL_ERROR}"
	expect_equal "$(numbers "$tool_out")" "$(seq 0 399)"
	expect_equal "$(grep -c '"goid":1,' "$tool_out")" 19
	expect_count 2 '"host":"127.0.0.1:[0-9]*","path":"/a/b","url":"https?://127.0.0.1:[0-9]*/a/b\?q=1&r=%20"' "$tool_out"
}

# Checks the trace ids and spans of requests that the program makes and serves, with HTTP/1 and
# HTTP/2. A server also gets Accept-Encoding and User-Agent.
# ROUTE: what spans show as http.route: null before Go 1.23.
expect_traced() { # PROGRAM [ROUTE]
	local parent=00f067aa0ba902b7 n
	for_each_n() { for n in "$@"; do printf '%s %032x\n' "/traced/$n" $((n + 1)); done; }
	run "$BIN/gohttp" --json --trace-id --otlp "$T/spans.json" -- "$1" traced
	expect_status 0
	expect_equal "$(grep -c '"path":"/traced/' "$tool_out")" 14
	sed -nE 's/.*"path":"([^"]*)","trace_id":"([0-9a-f]*)".*/\1 \2/p' "$tool_out" | sort >"$T/traced"
	expect_equal "$(<"$T/traced")" "$(for_each_n 0 0 1 1 3 3 7 7)"
	expect_equal "$(/usr/bin/python3 "$ROOT/tests/otlp/decode" "$T/spans.json" |
		jq -r 'select(.parent != "") | [.kind, .parent, .attributes["url.full"][-9:], .trace] | join(" ")' | sort)" \
		"$(for_each_n 0 0 1 1 3 3 7 7 | sed "s|^|3 $parent |")"
	# programs that are built without a module have the older ServeMux
	GODEBUG=httpmuxgo121=0 run "$BIN/gohttp" --json --server --trace-id --otlp "$T/spans.json" -- "$1" traced
	expect_status 0
	sed -nE 's/.*"path":"([^"]*)","trace_id":"([0-9a-f]*)".*/\1 \2/p' "$tool_out" | sort >"$T/traced"
	expect_equal "$(<"$T/traced")" "$(for_each_n 0 0 1 1 3 3)"
	expect_equal "$(/usr/bin/python3 "$ROOT/tests/otlp/decode" "$T/spans.json" |
		jq -r '"\(.kind) \(.name) \(.attributes["http.route"])"' | sort | uniq -c | tr -s ' ')" \
		" 14 2 GET${2:+ $2} ${2:-null}"
}

# Checks the requests that the program serves.
expect_server() { # PROGRAM
	run "$BIN/gohttp" --server --json -- "$1"
	expect_status 0
	expect_equal "$(cat "$tool_err")" done # the program's own output
	local first both='GET 200 5 /
GET 302 36 /old
GET 200 5 /new
GET 404 19 /missing
GET 418 0 /teapot
GET   /panic panic
GET 200 5 /a/b
POST 200 5 /post'
	# The program may end before the last handler, /slow. Handlers of HTTP/2 run in parallel, so
	# their order varies. uniq: Go's client repeats a request that fails on a reused
	# connection.
	first=$(requests "$tool_out" | sed '/slow/q' | sed '/slow/d' | uniq)
	expect_equal "$first" "$both"
	expect_equal "$(requests "$tool_out" | sed '1,/slow/d' | sed '/slow/d' | sort)" "$(sort <<<"$both")"
	expect_equal "$(numbers "$tool_out")" "$(seq 0 399)"
}
