# shellcheck shell=bash disable=SC2154 # variables set elsewhere
# For the tests of httpsnoop with Go programs. Source this file after lib.sh.
source "$ROOT/tests/tools/http.bash"
source "$ROOT/tests/tools/go.bash"
need_command jq

# Checks that httpsnoop shows the requests that the servers and clients of PROGRAM, built from
# tests/targets/scripts/tls.go, print themselves. Both sides of a request must have the same
# addresses, and no latency may be longer than what the client measured. VERSION: of HTTP, 1.1 or 2.
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

# Checks that responses whose clients disconnect in the middle are reported as broken off, although
# Go's server may still pass the end of the stream to TLS.
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
