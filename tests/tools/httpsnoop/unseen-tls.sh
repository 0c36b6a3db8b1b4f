#!/bin/bash
# timeout: 300
# shares: bun http
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/built.bash"
source "$(dirname "$0")/../http.bash"
need_command jq openssl

# Connections of a TLS library without symbols cannot be traced: the tool reports how many there
# were, and of which program. It does not report them for programs whose requests it shows, or if
# the user does not want TLS.
npm_bun
make_certificate "$T"
start_target_and_wait /usr/bin/python3 "$ROOT/tests/targets/scripts/http_server.py" "$T"
server_port=$(cat "$target_out") server_pid=$target_pid
cat >"$T/client.js" <<'END'
const [url] = process.argv.slice(2);
for await (const line of console) {
	for (const path of ["/1a", "/3b"]) {
		const answer = await fetch(url + path, {tls: {rejectUnauthorized: false}, keepalive: false});
		console.log(answer.status, await answer.text());
	}
	break;
}
END
mkfifo "$T/go"
exec 8<>"$T/go"
for arguments in --json "" --no-tls; do
	stdin=$T/go start_target "$bun_path" "$T/client.js" "https://127.0.0.1:$server_port"
	# shellcheck disable=SC2086 # words
	run_tool httpsnoop $arguments -p "$target_pid" -p "$server_pid"
	echo >&8
	wait_for "! alive $target_pid" 60
	expect_equal "$(cat "$target_out")" $'201 answer /1a\n203 answer /3b'
	stop_tool INT
	expect_status 0
	case $arguments in
	--json)
		expect_equal "$(jq -r 'select(.path) | "\(.side) \(.path)"' "$tool_out")" $'server /1a\nserver /3b'
		expect_equal "$(jq -c 'select(.type) | del(.time_ns)' "$tool_out")" \
			'{"type":"lost","count":2,"what":"connections of bun","reason":"their TLS library has no symbols"}'
		;;
	"") expect_equal "$(cat "$tool_err")" 'httpsnoop: 2 TLS connections of bun could not be traced: its TLS library has no symbols' ;;
	*) expect_no_line . "$tool_err" ;;
	esac
done
