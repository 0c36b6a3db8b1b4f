# shellcheck shell=bash disable=SC2154 # what is set elsewhere
# What the tests of httpsnoop with Go programs share: source it behind lib.sh.
source "$(dirname "$0")/http.bash"
source "$(dirname "$0")/go.bash"
need_command jq

# A program of tests/targets/scripts/tls.go: what its servers and clients say of their requests is what is seen, by HTTP/1 and HTTP/2,
# of stripped programs, too; each with the same peer on both sides, and never longer than by the client's own clock.
expect_requests() { # PROGRAM VERSION
	local version=$2 go=$T/go-in
	rm -f "$go" && mkfifo "$go"
	exec {in}<>"$go"
	stdin=$go start_target_and_wait "$1" "$version"
	run_tool httpsnoop --json -p "$target_pid"
	echo >&"$in"
	wait_for "grep -q '^done' '$target_out'" 30
	wait_for_rows client 209
	wait_for_rows server 209
	stop_tool INT
	expect_status 0
	expect_no_line . "$tool_err"
	expect_equal "$(rows client "$tool_out" | cut -d ' ' -f 1-3 | sort)" "$(sed -n 's/^client \(.*\) [0-9]*$/\1/p' "$target_out" | sort)"
	expect_equal "$(rows server "$tool_out" | cut -d ' ' -f 1-3 | sort)" "$(sed -n 's/^server //p' "$target_out" | sort)"
	expect_equal "$(jq -r '"\(.tls) \(.version) \(.error)"' "$tool_out" | sort -u)" "true HTTP/$version null"
	jq -r 'select(.side == "client") | "\(.method) \(.url | sub("^[^/]*"; "")) \(.latency_ns)"' "$tool_out" >"$T/seen"
	awk 'NR == FNR { took[$2 " " $3] = $5; next } $3 > took[$1 " " $2] || ($2 == "/slow" && $3 < 30e6) { print $0, took[$1 " " $2]; wrong = 1 }
		END { exit wrong }' "$target_out" "$T/seen" >"$T/wrong" || fail "$(cat "$T/wrong")"
	local address
	address=$(head -n 1 "$target_out")
	expect_equal "$(jq -r 'select(.side == "client") | .peer' "$tool_out" | sort -u)" "$address"
	expect_equal "$(jq -r 'select(.side == "server") | .peer + " " + .url' "$tool_out" | sort)" \
		"$(jq -r 'select(.side == "client") | .local + " " + .url' "$tool_out" | sort)"
	echo >&"$in"
	wait "$target_pid"
}

# Clients that go away in the middle of an answer: it was broken off, though the server's Go may then hand over the end of its
# stream. An answer's end is not invented.
expect_broken_off() { # PROGRAM VERSION
	local go=$T/go-broken n=6 i
	rm -f "$go" && mkfifo "$go"
	exec {in}<>"$go"
	stdin=$go start_target_and_wait "$1" "$2"
	run_tool httpsnoop --json -s -p "$target_pid"
	for ((i = 0; i < n; i++)); do
		curl -sk "https://$(head -n 1 "$target_out")/huge" 2>"$T/curl" | head -c 300000 >"$T/body" || true
	done
	wait_for_rows server "$n"
	stop_tool INT
	expect_status 0
	expect_equal "$(jq -r '"\(.version) \(.path) \(.status) \(.bytes) \(.error)"' "$tool_out" | sort | uniq -c | xargs)" \
		"$n HTTP/$2 /huge 200 null broken off"
	kill "$target_pid"
}
