#!/bin/bash
# timeout: 1800
# shares: bookworm trixie sid
# run: when named
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/built.bash"
source "$ROOT/tests/tools/http.bash"
need_command jq openssl

# A Rust program, as a server and as a client: with two versions of rustls 0.23, optimized for speed
# and for size, with and without names, the tool shows each request that the program counts; with
# older versions it says that their connections are unseen.
new=(openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2)
"${new[@]}" -keyout "$T/authority-key" -out "$T/authority" -subj /CN=authority 2>"$T/openssl"
"${new[@]}" -keyout "$T/key" -out "$T/cert" -subj /CN=localhost -CA "$T/authority" -CAkey "$T/authority-key" \
	-addext subjectAltName=DNS:localhost -addext basicConstraints=CA:FALSE 2>"$T/openssl"
for name in cert authority; do
	openssl x509 -in "$T/$name" -outform DER -out "$T/$name.der"
done
openssl pkcs8 -topk8 -nocrypt -in "$T/key" -outform DER -out "$T/key.der"
mkfifo "$T/go"

run_both() {
	local port server_pid server_out
	start_target_and_wait "${in_root[@]}" "$https_path" server "$T"
	port=$(cat "$target_out") server_pid=$target_pid server_out=$target_out
	exec 8<>"$T/go"
	stdin=$T/go start_target_and_wait "${in_root[@]}" "$https_path" client "$T" "$port"
	run_tool httpsnoop --json -p "$server_pid" -p "$target_pid"
	echo >&8
	wait_for "! alive $target_pid" 60
	stop_tool INT
	expect_status 0
	grep -hE '^(server|client) ' "$server_out" "$target_out" | sort >"$T/made"
	expect_count 10 . "$T/made"
	jq -r 'select(.path) | "\(.side) \(.method) \(.path) \(.status) \(.bytes)"' "$tool_out" | sort >"$T/shown"
	kill "$server_pid"
}
expect_shown() { # SUITE NAME [SETTING…]
	debian_rustls "$1" 0.23 "${@:2}"
	run_both
	expect_equal "$(cat "$T/shown")" "$(cat "$T/made")"
	expect_no_line 'TLS|lost' "$tool_err"
}
expect_shown trixie fast
expect_shown trixie lto 'lto = "fat"' 'codegen-units = 1' 'strip = true'
expect_shown sid fast 'strip = true'
expect_shown sid lto 'lto = "fat"' 'codegen-units = 1'
expect_shown sid small 'lto = "fat"' 'codegen-units = 1' 'opt-level = "z"' 'panic = "abort"' 'strip = true'

expect_said() { # SUITE VERSION
	debian_rustls "$1" "$2" "old-$2"
	run_both
	expect_equal "$(cat "$T/shown")" ''
	expect_line "^httpsnoop: 4 TLS connections of https-old-$2 could not be traced: its TLS library \\(rustls $2\.[0-9]+\\) has no symbols, and only versions 0.23.11 to 0.23.46 are known\$" "$tool_err"
}
expect_said trixie 0.21
expect_said bookworm 0.20
