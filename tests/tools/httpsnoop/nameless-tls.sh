#!/bin/bash
# timeout: 600
# shares: bun deno workerd
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/built.bash"
source "$(dirname "$0")/nameless-tls.bash"

# Bun contains BoringSSL, Deno and workerd contain rustls, without names: what curl counts, and what
# the programs count as clients of themselves, is what the tool shows, with the peers.
make_certificate_with_authority "$T"
write_https_program
expect_both() { # CMD…
	start_target_and_wait "$@"
	run_tool httpsnoop --json -p "$target_pid"
	wait_until_seen "$(cat "$target_out")"
	expect_asked_by_curl "$(cat "$target_out")"
	local before
	before=$(wc -l <"$tool_out")
	curl -sk "https://127.0.0.1:$(head -n 1 "$target_out")/start" >"$T/body"
	wait_for "grep -q done '$target_out'" 60
	grep '^client' "$target_out" | cut -d ' ' -f 2- | sort >"$T/made"
	wait_for "[ \"\$(wc -l <'$tool_out')\" -ge $((before + 1 + 2 * $(wc -l <"$T/made"))) ]" 20
	stop_tool INT
	expect_status 0
	tail -n "+$((before + 1))" "$tool_out" | grep -v '"path":"/start"' >"$T/own"
	expect_no_line '"error"' "$tool_out"
	for side in server client; do
		expect_equal "$(jq -r 'select(.side == "'$side'") | "\(.method) \(.path) \(.status) \(.bytes)"' "$T/own" | sort)" "$(cat "$T/made")"
	done
	expect_equal "$(jq -r 'select(.side == "server") | .peer + " " + .url' "$T/own" | sort)" "$(jq -r 'select(.side == "client") | .local + " " + .url' "$T/own" | sort)"
	expect_no_line . "$tool_err"
	stop_target
}
for version in $(tls_releases bun); do
	npm_bun "$version"
	expect_both "$bun_path" "$T/both.js" "$T"
done
for version in $(tls_releases deno); do
	npm_deno "$version"
	expect_both "$deno_path" run -A --quiet --unsafely-ignore-certificate-errors "$T/both.js" "$T"
done

for version in $(tls_releases workerd); do
	npm_workerd "$version"
	port=$(free_port)
	write_workerd_program "$port"
	start_target "$workerd_path" serve "$T/config.capnp"
	wait_for "curl -sk https://127.0.0.1:$port/ready >'$T/body'" 20
	run_tool httpsnoop --json -p "$target_pid"
	wait_until_seen "$port"
	expect_asked_by_curl "$port"
	for n in 1 2 3; do
		expect_equal "$(curl -sk "https://127.0.0.1:$port/by/$n")" "answer /$n"
	done
	wait_for "[ \"\$(grep -c '/by/[123]' '$tool_out')\" -ge 3 ]" 20
	stop_tool INT
	expect_status 0
	expect_equal "$(jq -r 'select(.path | test("^/[123]$")) | "\(.side) \(.path) \(.status) \(.bytes)"' "$tool_out" | sort)" \
		"$(printf '%s\n' {client,server}' /'{1,2,3}' 200 9')"
	expect_no_line '"error"' "$tool_out"
	expect_no_line . "$tool_err"
	stop_target
done
