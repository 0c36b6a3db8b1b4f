# shellcheck shell=bash disable=SC2154 # what is set elsewhere
# Tests of httpsnoop with real servers, each compared with its own log: source it behind lib.sh.
source "$(dirname "$0")/http.bash"
need_command jq

# Requests that every server here answers somehow: keep-alive, bodies of both kinds, a large answer, one that takes 100 ms. How
# long the slow one took for curl, in seconds, is in $T/slow-PORT.
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

# What a server's log has of these, "METHOD TARGET STATUS", is what was seen of the port, in any order; the client has the same.
expect_served() { # LOG PORT [MS: what the slow one takes at least]
	local log=$1 port=$2 side
	jq -c 'select(((.local, .peer) | strings | endswith(":'"$port"'")))' "$tool_out" >"$T/ours"
	expect_equal "$(wc -l <"$log")" 10
	for side in server client; do
		expect_equal "$(rows "$side" "$T/ours" | cut -d ' ' -f 1-3 | sort)" "$(sort "$log")"
	done
	expect_no_line '"error"' "$T/ours"
	# Never shorter than the server slept, never longer than curl has waited; for the calls themselves there is some room.
	# shellcheck disable=SC2016 # jq's
	jq -s -e --argjson most "$(cat "$T/slow-$port")" --argjson least "${3-100}" \
		'any(.[]; .path == "/slow" and .side == "server" and .latency_ns / 1e6 >= $least and .latency_ns / 1e9 <= $most + 0.05)' "$T/ours" >"$T/took" ||
		fail "curl took $(cat "$T/slow-$port") s, seen: $(grep slow "$T/ours")"
}
