# shellcheck shell=bash disable=SC2154 # variables set elsewhere
# Compares httpsnoop's output with the logs of real servers. Source this file after lib.sh.
source "$ROOT/tests/tools/http.bash"
need_command jq

# Sends ten requests that every server here answers: keep-alive, bodies with a length and in chunks,
# a large response, one that takes 100 ms. Writes how many seconds the slow one took for curl to
# $T/slow-PORT.
request_usual() { # PORT URL CURL-OPTION…
	local port=$1 url=$2
	shift 2
	curl -s "$@" "$url/ok?x=1&y=2" "$url/ok?n=2" "$url/missing" "$url/big" >"$T/body"
	curl -sI "$@" "$url/ok?head" >"$T/body"
	curl -s "$@" -d 'a body' "$url/ok?post" >"$T/body"
	head -c 300000 /dev/zero | curl -s "$@" -H 'Expect:' -H 'Transfer-Encoding: chunked' --data-binary @- "$url/ok?chunks" >"$T/body"
	curl -s "$@" -H 'Expect: 100-continue' -d 'a body' "$url/ok?continue" >"$T/body"
	curl -s "$@" -X DELETE "$url/ok?delete" >"$T/body"
	curl -s "$@" -w '%{time_total}' -o "$T/body" "$url/slow" >"$T/slow-$port"
	wait_for "[ \"\$(grep -cE '\"(local|peer)\":\"[^\"]*:$port\"' '$tool_out')\" -ge 20 ]" 20
}

# Checks that httpsnoop shows the requests in LOG ("METHOD TARGET STATUS" lines, in any order) for
# this port, on the server's and the client's side. The slow one takes at least MS (default 100).
expect_served() { # LOG PORT [MS]
	local log=$1 port=$2 side
	jq -c 'select(((.local, .peer) | strings | endswith(":'"$port"'")))' "$tool_out" >"$T/ours"
	expect_equal "$(wc -l <"$log")" 10
	for side in server client; do
		expect_equal "$(rows "$side" "$T/ours" | cut -d ' ' -f 1-3 | sort)" "$(sort "$log")"
	done
	expect_no_line '"error"' "$T/ours"
	# The latency is never shorter than the server slept, and at most 50 ms longer than curl
	# waited (the calls take some time themselves).
	# shellcheck disable=SC2016 # variables of jq
	jq -s -e --argjson most "$(cat "$T/slow-$port")" --argjson least "${3-100}" \
		'any(.[]; .path == "/slow" and .side == "server" and .latency_ns / 1e6 >= $least and .latency_ns / 1e9 <= $most + 0.05)' "$T/ours" >"$T/took" ||
		fail "curl took $(cat "$T/slow-$port") s, httpsnoop shows: $(grep slow "$T/ours")"
}
