#!/bin/bash
# timeout: 300
# shares: bun deno workerd
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/built.bash"
source "$(dirname "$0")/nameless-tls.bash"

# What functions without names move has to be what the TLS records contain. It is in the real
# programs, also if a body needs many records; if not, the probes are removed, and this is reported.
make_certificate_with_authority "$T"
write_https_program
ask() { curl -sk --http1.1 -o "$T/body" "https://127.0.0.1:$port$1"; }
expect_proven() { # LIBRARY CMD…
	local library=$1
	shift
	start_target "$@"
	wait_for "port=\$(head -n 1 '$target_out' | grep . || echo $port) && curl -sk https://127.0.0.1:\$port/ready >'$T/body'" 20
	[ -n "$port" ] || port=$(head -n 1 "$target_out")
	run_tool httpsnoop -v -p "$target_pid"
	wait_for "curl -sk --http1.1 'https://127.0.0.1:$port/one' >'$T/body'; grep -q 'the functions of $library move what its TLS records contain' '$tool_err'" 20
	ask /big
	stop_tool INT
	expect_status 0
	expect_no_line 'not traced' "$tool_err"
	stop_target
}
port=''
for version in $(tls_releases bun); do
	npm_bun "$version"
	expect_proven BoringSSL "$bun_path" "$T/both.js" "$T"
done
for version in $(tls_releases deno); do
	npm_deno "$version"
	expect_proven 'rustls 0.23.*' "$deno_path" run -A --quiet "$T/both.js" "$T"
done
for version in $(tls_releases workerd); do
	npm_workerd "$version"
	port=$(free_port)
	write_workerd_program "$port"
	expect_proven '.*' "$workerd_path" serve "$T/config.capnp"
done

# The tool remembers what it has found in Bun: we exchange the function that reads and the one that
# writes.
rm -r "$T/cache" # where run_tool lets tools remember
npm_bun "$(tls_releases bun | head -n 1)"
start_target_and_wait "$bun_path" "$T/both.js" "$T"
port=$(cat "$target_out")
XDG_CACHE_HOME=$T/cache "$BIN/httpsnoop" --dry-run -p "$target_pid" >"$T/plan"
sed -Ei '4s/^0/x/; 5s/^1/0/; 4s/^x/1/' "$T"/cache/uscope/tls/*
why='its TLS library (BoringSSL) has no symbols, and what the functions found in it move is not what its records contain'
run_tool httpsnoop -p "$target_pid"
for n in 1 2 3; do
	ask "/wrong/$n"
done
wait_for "grep -qF 'httpsnoop: TLS of $bun_path is not traced any longer: $why' '$tool_err'" 20
ask /unseen/1
ask /unseen/2
expect_equal "$(cat "$T/body")" 'answer /unseen/2'
stop_tool INT
expect_status 0
grep -qxF "httpsnoop: 2 TLS connections of bun could not be traced: $why" "$tool_err" || fail "$(cat "$tool_err")"
