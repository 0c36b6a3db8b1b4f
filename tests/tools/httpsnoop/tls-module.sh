#!/bin/bash
# timeout: 300
# shares: node nginx
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/built.bash"
source "$ROOT/tests/tools/http.bash"
need_command jq

# A module of Node contains rustls without names: its requests are those that it reports itself.
npm_node 22
npm_impit
start_nginx
head -c 100000 /dev/zero >"$T/www/big"
cat >"$T/client.js" <<'END'
const {Impit} = require(process.argv[2]);
const [url] = process.argv.slice(3);
const client = new Impit({ignoreTlsErrors: true});
console.log("ready");
process.stdin.once("data", async () => {
	for (const path of ["/ok?1", "/ok?2", "/missing", "/big"]) {
		const answer = await client.fetch(url + path);
		console.log(`GET ${path} ${answer.status} ${(await answer.bytes()).length}`);
	}
	process.exit(0);
});
END
mkfifo "$T/go"
exec 8<>"$T/go"
stdin=$T/go start_target_and_wait "$node_path" "$T/client.js" "$impit_path" "https://127.0.0.1:$tls_port"
run_tool httpsnoop --json -c -p "$target_pid"
echo >&8
wait_for "! alive $target_pid" 60
stop_tool INT
expect_status 0
grep -v ready "$target_out" | sort >"$T/made"
expect_equal "$(wc -l <"$T/made")" 4
expect_equal "$(rows client "$tool_out" | sort)" "$(cat "$T/made")"
expect_no_line '"error"' "$tool_out"
