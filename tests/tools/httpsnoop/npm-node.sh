#!/bin/bash
# timeout: 300
# shares: http node
# alone: httpsnoop shows requests of all processes, also downloads of other tests
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/built.bash"
source "$(dirname "$0")/http-servers.bash"
need_command openssl

# The official builds of Node, which contain OpenSSL: servers and clients with TLS, compared with
# the programs' logs, with the peers. OpenSSL writes to memory, and Node itself sends that to the
# socket.
make_certificate "$T"
cat >"$T/both.js" <<'END'
const https = require("https"), fs = require("fs");
const server = https.createServer({key: fs.readFileSync(process.argv[2] + "/key"), cert: fs.readFileSync(process.argv[2] + "/cert")}, (request, response) => {
	let body = 0;
	request.on("data", part => body += part.length);
	request.on("end", () => setTimeout(() => {
		response.statusCode = request.url === "/missing" ? 404 : 200;
		response.end("x".repeat(request.url === "/big" ? 1000000 : 2));
		console.log(`server ${request.method} ${request.url} ${response.statusCode}`);
	}, request.url === "/slow" ? 100 : 0));
});
const agent = new https.Agent({keepAlive: true, rejectUnauthorized: false});
const ask = (method, path, body) => new Promise(done => {
	const begin = process.hrtime.bigint();
	const request = https.request({port: server.address().port, host: "127.0.0.1", path, method, agent}, response => {
		response.resume();
		response.on("end", () => {
			console.log(`client ${method} ${path} ${response.statusCode} ${process.hrtime.bigint() - begin}`);
			done();
		});
	});
	request.end(body);
});
server.listen(0, "127.0.0.1", () => {
	console.log(server.address().port);
	process.stdin.once("data", async () => {
		await ask("GET", "/a?b=1"), await ask("GET", "/big"), await ask("GET", "/slow"), await ask("GET", "/missing");
		await ask("POST", "/post", "x".repeat(100000)), await ask("DELETE", "/gone"), await ask("PROPFIND", "/dav");
		await Promise.all([...Array(20).keys()].map(i => ask("GET", "/n/" + i)));
		console.log("done");
	});
});
END
outs=() ports=() ins=() pids=()
for release in $(node_releases 16); do
	npm_node "$release"
	mkfifo "$T/in$release"
	exec {in}<>"$T/in$release"
	stdin=$T/in$release start_target_and_wait "$node_path" "$T/both.js" "$T"
	outs+=("$target_out") ports+=("$(cat "$target_out")") ins+=("$in") pids+=("$target_pid")
done
run_tool httpsnoop --json
for i in "${!outs[@]}"; do
	echo >&"${ins[i]}"
	wait_for "grep -q done '${outs[i]}'" 30
	wait_for "[ \"\$(grep -cE '\"(local|peer)\":\"[^\"]*:${ports[i]}\"' '$tool_out')\" -ge 54 ]" 20
done
stop_tool INT
expect_status 0
for i in "${!outs[@]}"; do
	jq -c 'select(((.local, .peer) | strings | endswith(":'"${ports[i]}"'")))' "$tool_out" >"$T/ours"
	expect_no_line '"error"' "$T/ours"
	for side in server client; do
		expect_equal "$(rows "$side" "$T/ours" | cut -d ' ' -f 1-3 | sort)" "$(grep "^$side" "${outs[i]}" | cut -d ' ' -f 2-4 | sort)"
	done
	expect_equal "$(jq -r 'select(.side == "server") | .peer + " " + .url' "$T/ours" | sort)" "$(jq -r 'select(.side == "client") | .local + " " + .url' "$T/ours" | sort)"
	jq -r 'select(.side == "client") | "\(.method) \(.url | sub("^[^/]*"; "")) \(.latency_ns)"' "$T/ours" >"$T/seen"
	awk 'NR == FNR { took[$2 " " $3] = $5; next } $3 > took[$1 " " $2] || ($2 == "/slow" && $3 < 95e6) { print $0, took[$1 " " $2]; wrong = 1 }
		END { exit wrong }' "${outs[i]}" "$T/seen" >"$T/wrong" || fail "$(cat "$T/wrong")"
done

# With -F, processes that are not children of the given one have no probes.
run_tool httpsnoop --json -p "${pids[0]}" -F
wait_for_probes "${pids[0]}"
"$ROOT/tests/breakpoints" "${pids[@]:1}" >"$T/others" && fail "$(cat "$T/others")"
stop_tool INT
expect_status 0
expect_no_line . "$tool_out"
expect_no_line . "$tool_err"
