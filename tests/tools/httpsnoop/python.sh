#!/bin/bash
# shares: bookworm http
# alone: httpsnoop shows requests of all processes, including downloads by other tests
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/http-servers.bash"
need_command openssl

# httpsnoop shows the requests that servers in Python have in their own logs, unencrypted and with
# TLS: gunicorn with two workers, and uvicorn, whose OpenSSL writes to memory instead of sockets.
debian_root bookworm uvicorn gunicorn puma
make_certificate "$T"
chmod -R a+rX "$T"
cat >"$T/app.py" <<'END'
import asyncio, time
def answer(path): return ("404 Not Found", b"no") if path == "/missing" else ("200 OK", b"x" * (1000000 if path == "/big" else 2))
def wsgi(environ, start):
    if environ["PATH_INFO"] == "/slow": time.sleep(.1)
    while environ["wsgi.input"].read(65536): pass
    status, body = answer(environ["PATH_INFO"])
    start(status, [("Content-Length", str(len(body)))])
    return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]
async def asgi(scope, receive, send):
    if scope["type"] != "http": return
    if scope["path"] == "/slow": await asyncio.sleep(.1)
    while (await receive()).get("more_body"): pass
    status, body = answer(scope["path"])
    await send({"type": "http.response.start", "status": int(status[:3]), "headers": [(b"content-length", str(len(body)).encode())]})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
END
urls=() ports=() logs=()
start_server() { # URL COMMAND…; the server listens on $port
	start_target "${in_root[@]}" "${@:2}"
	wait_for "curl -skf '$1/ok' -o '$T/body'" 30
	urls+=("$1") ports+=("$port") logs+=("$target_out")
}
for tls in '' s; do
	options=()
	[ -z "$tls" ] || options=(--certfile "$T/cert" --keyfile "$T/key")
	port=$(free_port)
	start_server "http$tls://127.0.0.1:$port" gunicorn --chdir "$T" -w 2 -b "127.0.0.1:$port" --access-logfile - "${options[@]}" app:wsgi
	[ -z "$tls" ] || options=(--ssl-certfile "$T/cert" --ssl-keyfile "$T/key")
	port=$(free_port)
	start_server "http$tls://127.0.0.1:$port" uvicorn --app-dir "$T" --host 127.0.0.1 --port "$port" --no-use-colors "${options[@]}" app:asgi
done
run_tool httpsnoop --json
for i in "${!urls[@]}"; do
	request_usual "${ports[i]}" "${urls[i]}" -k
done
stop_tool INT
expect_status 0
for i in "${!urls[@]}"; do
	sed -nE 's/.*"([A-Z]+ [^ ]+) HTTP[^"]*" ([0-9]+).*/\1 \2/p' "${logs[i]}" | tail -n 10 >"$T/log"
	expect_served "$T/log" "${ports[i]}"
done
