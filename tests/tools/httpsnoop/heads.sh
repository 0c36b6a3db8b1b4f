#!/bin/bash
# shares: http
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command jq node openssl

# Responses with longer heads than usual, in one call and with TLS, with bodies of a known length
# and chunked; and clients that continue after a final response to "Expect: 100-continue". Compared
# with the client's and the server's view.
make_certificate "$T"
cat >"$T/server.js" <<'END'
const fs = require("fs");
const answer = (request, response) => {
	const [, bytes, how] = request.url.split("/");
	console.log(request.method + " " + request.url);
	response.setHeader("X-Long", "x".repeat(Number(bytes)));
	const body = "y".repeat(2000);
	if (how === "chunks") response.end(response.write(body.slice(1)) && body.slice(0, 1));
	else response.end(body);
};
const servers = [require("http").createServer(answer),
	require("https").createServer({key: fs.readFileSync(process.argv[2] + "/key"), cert: fs.readFileSync(process.argv[2] + "/cert")}, answer)];
servers[0].on("checkExpectation", (request, response) => {
	console.log(request.method + " " + request.url);
	response.writeHead(417).end();
});
servers[0].listen(0, "127.0.0.1", () => servers[1].listen(0, "127.0.0.1", () =>
	console.log(servers.map(server => server.address().port).join(" "))));
END
start_target_and_wait node "$T/server.js" "$T"
read -r port tls_port <"$target_out"
served() { tail -n "+$((before + 1))" "$target_out"; }
lengths='10 900 1100 4000 12000'
for way in lengths calls; do
	before=$(wc -l <"$target_out")
	run_tool httpsnoop --json --force-sockets "$way" -p "$target_pid"
	for bytes in $lengths; do
		for how in body chunks; do
			for url in "http://127.0.0.1:$port" "https://127.0.0.1:$tls_port"; do
				curl -sk --http1.1 "$url/$bytes/$how" "$url/$bytes/$how?again" >"$T/body"
			done
		done
	done
	wait_for_rows server 40
	stop_tool INT
	expect_equal "$(jq -r '"\(.method) \(.url | sub("^[^/]*"; ""))"' "$tool_out")" "$(served)"
	# The bytes may include what is between chunks.
	expect_equal "$(jq -r 'select(.bytes_inexact | not) | "\(.status) \(.bytes) \(.error)"' "$tool_out" | sort -u)" '200 2000 null'
	expect_equal "$(jq -c 'select(.bytes_inexact and ((.path | endswith("chunks") | not) or .bytes < 2000 or .bytes > 2020 or .error))' "$tool_out")" ''
	expect_no_line . "$tool_err"
done

start_target_and_wait /usr/bin/python3 -u -c 'import http.server
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def handle_expect_100(self):
        self.answer(417)
        return False
    def do_PUT(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(200)
    def answer(self, status):
        self.send_response(status); self.send_header("Content-Length", "0"); self.end_headers()
    def log_message(self, text, *arguments): print(text % arguments)
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1]); server.serve_forever()'
read -r port <"$target_out"
before=1
head -c 3000000 /dev/zero >"$T/upload"
run_tool httpsnoop --json --no-tls -p "$target_pid"
curl -s -T "$T/upload" "http://127.0.0.1:$port/upload" >"$T/body"
wait_for_rows server 2
stop_tool INT
expect_equal "$(jq -r '"\"\(.method) \(.path) HTTP/1.1\" \(.status) -"' "$tool_out")" "$(served)"
expect_no_line . "$tool_err"
