#!/bin/bash
# shares: http
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command jq h2load

# HTTP/2 with TLS: each connection has up to ten requests at a time, and responses have one frame or
# many. Each request is shown once.
h2c_port=$(free_port)
start_nginx "listen 127.0.0.1:$h2c_port http2; sendfile on;"
head -c 7000 /dev/zero >"$T/www/some"
head -c 400000 /dev/zero >"$T/www/big"
chmod a+r "$T"/www/*
workers=$(pgrep -P "$nginx_pid" | sed 's/^/-p /')
# shellcheck disable=SC2086 # words
run_tool httpsnoop --json $workers
h2load -n 1000 -c 4 -m 10 "https://127.0.0.1:$tls_port/ok" >"$T/load"
h2load -n 200 -c 4 -m 10 "https://127.0.0.1:$tls_port/some" >>"$T/load"
h2load -n 20 -c 2 -m 4 "https://127.0.0.1:$tls_port/big" >>"$T/load"
curl -sk --http2 "https://127.0.0.1:$tls_port/missing?x=1" >"$T/body"
wait_for_rows server 1221
stop_tool INT
expect_status 0
expect_equal "$(rows server "$tool_out" | cut -d ' ' -f 1-3 | sort)" "$(cut -d ' ' -f 1-3 "$access_log" | sort)"
expect_equal "$(jq -r .version "$tool_out" | sort -u)" HTTP/2
expect_no_line '"error"' "$tool_out"
expect_no_line . "$tool_err"

# Each request is also shown once for bodies of any length, unencrypted and with TLS. If nginx uses
# sendfile(), the bodies are never in its memory. Node writes the frames of several streams at once:
# in many pieces if unencrypted, in one piece with TLS.
expect_all() { # OPTIONS COUNT URL; h2load makes COUNT requests; the rows must show them all
	# shellcheck disable=SC2086 # words
	run_tool httpsnoop --json -s $1
	h2load -n "$2" -c 2 -m 8 "$3" >"$T/load"
	expect_line "^requests: $2 total, $2 started, $2 done, $2 succeeded" "$T/load"
	wait_for_rows server "$2"
	stop_tool INT
	expect_equal "$(jq -r '"\(.method) \(.path) \(.status) \(.error)"' "$tool_out" | sort | uniq -c | xargs)" "$2 GET /${3##*/} 200 null"
	expect_no_line . "$tool_err"
}
echo five >"$T/www/five"
chmod a+r "$T"/www/*
for file in five some big; do
	expect_all "$workers" 40 "http://127.0.0.1:$h2c_port/$file"
done
command -v node >"$T/node" || exit 0
cat >"$T/server.js" <<'END'
const http2 = require("http2"), fs = require("fs");
const serve = server => server.on("stream", (stream, headers) => {
	stream.respond({":status": 200});
	stream.end(Buffer.alloc(Number(headers[":path"].slice(1))));
}).listen(0, "127.0.0.1", () => console.log(server.address().port));
serve(http2.createServer());
serve(http2.createSecureServer({key: fs.readFileSync(process.argv[2] + "/key"), cert: fs.readFileSync(process.argv[2] + "/cert")}));
END
start_ "$T/ports" "$T/errors" node "$T/server.js" "$T/nginx"
node_pid=$pid
wait_for "[ \$(wc -l <'$T/ports') -eq 2 ]" 20
{ read -r clear_port; read -r secure_port; } <"$T/ports"
for bytes in 5 20000 400000; do
	expect_all "-p $node_pid" 40 "http://127.0.0.1:$clear_port/$bytes"
	expect_all "-p $node_pid" 40 "https://127.0.0.1:$secure_port/$bytes"
done
