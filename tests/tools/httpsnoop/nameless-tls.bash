# shellcheck shell=bash disable=SC2154,SC2034 # variables from lib.sh and built.bash
# Programs that contain a TLS library without names: HTTPS servers that also make requests. Source
# this file after lib.sh and built.bash.
source "$ROOT/tests/tools/http.bash"
need_command jq openssl

# For Bun and Deno. After a request for /start it makes requests to itself, and writes what they
# had: "client METHOD PATH STATUS BYTES". Deno also uses HTTP/2.
write_https_program() {
	cat >"$T/both.js" <<-'END'
		import process from "node:process";
		import fs from "node:fs";
		import https from "node:https";
		const folder = process.argv[2], big = new Uint8Array(1 << 20), bun = globalThis.Bun, deno = globalThis.Deno;
		const tls = {key: fs.readFileSync(folder + "/key", "utf8"), cert: fs.readFileSync(folder + "/cert", "utf8")};
		let port;
		const answer = async request => {
			const path = new URL(request.url).pathname;
			if (request.method === "POST")
				return new Response("got " + (await request.arrayBuffer()).byteLength);
			if (path === "/missing")
				return new Response("no", {status: 404});
			if (path === "/start")
				setTimeout(start, 0);
			return new Response(path === "/big" ? big : "answer " + path);
		};
		const ask = async (method, path, body, client) => {
			const response = await fetch(`https://127.0.0.1:${port}${path}`, {method, body, client, tls: {rejectUnauthorized: false}});
			console.log(`client ${method} ${path} ${response.status} ${(await response.arrayBuffer()).byteLength}`);
		};
		const ask_node = path => new Promise(done => https.get({port, host: "127.0.0.1", path, rejectUnauthorized: false}, response => {
			let bytes = 0;
			response.on("data", part => bytes += part.length);
			response.on("end", () => { console.log(`client GET ${path} ${response.statusCode} ${bytes}`); done(); });
		}));
		const ready = number => { port = number; console.log(port); };
		if (bun)
			ready(bun.serve({port: 0, hostname: "127.0.0.1", tls, fetch: answer}).port);
		else
			deno.serve({port: 0, hostname: "127.0.0.1", ...tls, onListen: address => ready(address.port)}, answer);
		const clients = bun ? {a: undefined} : {a: deno.createHttpClient({http2: false, http1: true}), b: undefined};
		async function start() {
			for (const [name, client] of Object.entries(clients)) {
				await ask("GET", `/${name}/first`, undefined, client), await ask("GET", "/big", undefined, client);
				await ask("POST", `/${name}/post`, "x".repeat(300000), client), await ask("GET", `/${name}/last`, undefined, client);
				await Promise.all([...Array(20).keys()].map(i => ask("GET", `/${name}/n/${i}`, undefined, client)));
			}
			await ask_node("/node");
			console.log("done");
		}
	END
}

# Writes key and cert as make_certificate does, and the certificate of their authority: rustls
# refuses a certificate that is its own authority.
make_certificate_with_authority() { # FOLDER
	local new=(openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2)
	{
		"${new[@]}" -keyout "$1/authority-key" -out "$1/authority" -subj /CN=authority
		"${new[@]}" -keyout "$1/key" -out "$1/cert" -subj /CN=localhost -CA "$1/authority" -CAkey "$1/authority-key" \
			-addext subjectAltName=IP:127.0.0.1 -addext basicConstraints=CA:FALSE
	} 2>"$1/openssl" || fail "openssl: $(cat "$1/openssl")"
}

# For workerd: /by/N makes a request for /N to itself.
write_workerd_program() { # PORT
	cat >"$T/worker.js" <<-END
		const big = new Uint8Array(1 << 20);
		export default { async fetch(request) {
			const path = new URL(request.url).pathname;
			if (path.startsWith("/by/"))
				return new Response(await (await fetch("https://127.0.0.1:$1" + path.slice(3))).text());
			if (request.method === "POST")
				return new Response("got " + (await request.arrayBuffer()).byteLength);
			if (path === "/missing")
				return new Response("no", {status: 404});
			return new Response(path === "/big" ? big : "answer " + path);
		}};
	END
	cat >"$T/config.capnp" <<-END
		using Workerd = import "/workerd/workerd.capnp";
		const config :Workerd.Config = (
			services = [(name = "main", worker = .worker),
				(name = "internet", network = (allow = ["private"], tlsOptions = (trustBrowserCas = false, trustedCertificates = [embed "authority"])))],
			sockets = [(name = "https", address = "127.0.0.1:$1", service = "main",
				https = (tlsOptions = (keypair = (privateKey = embed "key", certificateChain = embed "cert"))))]);
		const worker :Workerd.Worker = (modules = [(name = "worker", esModule = embed "worker.js")], compatibilityDate = "2025-01-01");
	END
}

# Makes requests whose bytes are in one packet with the end of the handshake: "GET PATH STATUS BYTES
# PORT 0". At that time, rustls has the connection elsewhere in memory than later.
request_early() { # PORT PATH…
	/usr/bin/python3 - "$@" <<-'END'
		import socket, ssl, sys
		for path in sys.argv[2:]:
		    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
		    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
		    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
		    tls = context.wrap_bio(incoming, outgoing)
		    connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
		    def receive():
		        data = connection.recv(65536)
		        incoming.write(data) if data else incoming.write_eof()
		    while True:
		        try:
		            tls.do_handshake()
		            break
		        except ssl.SSLWantReadError:
		            connection.sendall(outgoing.read())
		            receive()
		    tls.write(f"GET {path} HTTP/1.1\r\nHost: early\r\nConnection: close\r\n\r\n".encode())
		    connection.sendall(outgoing.read())
		    response = b""
		    while b"\r\n\r\n" not in response or len(response) < end:
		        try:
		            response += tls.read(65536)
		        except ssl.SSLWantReadError:
		            receive()
		        head, _, body = response.partition(b"\r\n\r\n")
		        lengths = [int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
		        end = len(head) + 4 + sum(lengths)
		    print("GET", path, response.split()[1].decode(), len(body), connection.getsockname()[1], 0)
		    connection.close()
	END
}

# Makes requests by curl. Writes what they had to $T/asked: "METHOD PATH STATUS BYTES PORT", and the
# number of posted bytes for those with a length.
request_by_curl() { # PORT
	local url=https://127.0.0.1:$1 n
	local format=' %{http_code} %{size_download} %{local_port}'
	: >"$T/asked"
	for n in 1 2 3; do
		curl -sk --http1.1 -o "$T/body" -w "GET /one/$n$format 0\\n" "$url/one/$n" >>"$T/asked"
	done
	curl -sk --http1.1 -o "$T/body" -o "$T/body" -o "$T/body" -w "GET /big$format 0\\n" "$url/big" "$url/big" "$url/big" >>"$T/asked"
	curl -sk --http1.1 -o "$T/body" -w "GET /missing$format 0\\n" "$url/missing" >>"$T/asked"
	head -c 300000 /dev/zero | curl -sk --http1.1 -o "$T/body" -w "POST /post$format %{size_upload}\\n" --data-binary @- "$url/post" >>"$T/asked"
	curl -sk --http2 -o "$T/body" -o "$T/body" -w "GET /two$format 0\\n" "$url/two" "$url/two" >>"$T/asked"
	request_early "$1" /early/1 /early/2 /big >>"$T/asked"
}

# The rows of the server that curl has asked, as lines of $T/asked.
rows_of_curl() {
	jq -r 'select(.side == "server" and (.path | test("^/(one|two|early|big$|missing|post$)"))) |
		"\(.method) \(.path) \(.status) \(.bytes) \(.peer | sub(".*:"; "")) \(.request_bytes // 0)"' "$tool_out"
}

# Waits until the tool sees requests of the server: programs that it does not know get their probes
# when they wait for something.
wait_until_seen() { # PORT
	wait_for "curl -sk 'https://127.0.0.1:$1/ready' >'$T/body'; grep -q '\"path\":\"/ready\"' '$tool_out'" 30
}

# Checks the requests that curl has made, their peers, and the bytes of bodies both ways.
expect_asked_by_curl() { # PORT
	request_by_curl "$1"
	wait_for "[ \"\$(rows_of_curl | wc -l)\" -ge \"\$(wc -l <'$T/asked')\" ]" 20
	expect_equal "$(rows_of_curl | sort)" "$(sort "$T/asked")"
}
