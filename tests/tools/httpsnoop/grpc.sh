#!/bin/bash
# shares: http
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command jq openssl
/usr/bin/python3 -c 'import grpc' 2>"$T/missing" || skip 'python3-grpcio is not installed'

# gRPC, unencrypted and with TLS: messages of 100 KB in both directions, streams of them, several
# calls at a time on one connection, heads of several KB, failures, cancelled calls. Each call is
# shown once, with the status that the client received.
make_certificate "$T"
cat >"$T/peers.py" <<'END'
import grpc, sys, threading
from concurrent import futures
folder, log = sys.argv[1], open(sys.argv[1] + "/log", "w", buffering=1)
class Handler(grpc.GenericRpcHandler):
    def service(self, details):
        def echo(message, context):
            context.set_trailing_metadata((("t-bin", b"\1" * 3000),))
            return message
        def fail(message, context): context.abort(grpc.StatusCode.NOT_FOUND, "none")
        def wait(message, context):
            given_up = threading.Event()
            context.add_callback(given_up.set)
            given_up.wait(60)
            return message
        def stream(messages, context): yield from messages
        name = details.method.split("/")[-1]
        if name == "Stream": return grpc.stream_stream_rpc_method_handler(stream)
        does = {"Echo": echo, "Fail": fail, "Wait": wait}.get(name)
        return does and grpc.unary_unary_rpc_method_handler(does)
server = grpc.server(futures.ThreadPoolExecutor(8))
server.add_generic_rpc_handlers((Handler(),))
key, cert = (open(folder + "/" + name, "rb").read() for name in ("key", "cert"))
clear = server.add_insecure_port("127.0.0.1:0")
tls = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([(key, cert)]))
server.start()
print("ready", flush=True)
sys.stdin.readline()
body = bytes(range(256)) * 400
def call(channel, name, **options):
    try: assert channel.unary_unary("/a.B/" + name)(body, **options) == body; status = 0
    except grpc.RpcError as error: status = error.code().value[0]
    log.write("/a.B/%s %d\n" % (name, status))
def work(channel):
    for i in range(10): call(channel, "Echo", metadata=(("x-%d" % i, "v" * 300 * i),))
    call(channel, "Fail"); call(channel, "None")
    assert len(b"".join(channel.stream_stream("/a.B/Stream")(iter([body] * 10)))) == 10 * len(body)
    log.write("/a.B/Stream 0\n")
for channel in grpc.insecure_channel("127.0.0.1:%d" % clear), grpc.secure_channel("localhost:%d" % tls, grpc.ssl_channel_credentials(cert)):
    threads = [threading.Thread(target=work, args=(channel,)) for _ in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    call(channel, "Wait", timeout=1)
print("done", flush=True)
sys.stdin.readline()
END
for way in lengths calls; do
	rm -f "$T/go" && mkfifo "$T/go"
	exec {go}<>"$T/go"
	stdin=$T/go start_target_and_wait /usr/bin/python3 "$T/peers.py" "$T"
	run_tool httpsnoop --json --force-sockets "$way" -p "$target_pid"
	echo >&"$go"
	wait_for "grep -q done '$target_out' || ! alive $target_pid" 60
	expect_line '^done' "$target_out"
	wait_for_rows server 106
	wait_for_rows client 106
	stop_tool INT
	expect_status 0
	for side in server client; do
		# The call that nobody answers is ended by the side whose deadline expires first:
		# the client sends CANCEL, the server status 4 (DEADLINE_EXCEEDED).
		jq -r 'select(.side == "'$side'") | "\(.path) \(.grpc_status // 4)"' "$tool_out" | sort >"$T/ours"
		expect_equal "$(sort "$T/log" | diff - "$T/ours")" ''
	done
	expect_equal "$(jq -r '"\(.side) \(.tls) \(.version) \(.method)"' "$tool_out" | sort | uniq -c | awk '{ $1 = $1; print }')" \
		"$(printf '53 %s HTTP/2 POST\n' 'client false' 'client true' 'server false' 'server true')"
	jq -r 'select(.grpc_status != 4) | "\(.path) \(.status) \(.error)"' "$tool_out" | sort -u >"$T/ours"
	expect_equal "$(grep -v ' null reset: CANCEL$' "$T/ours")" "$(printf '/a.B/%s 200 null\n' Echo Fail None Stream)"
	expect_no_line '^/a.B/[^W].*CANCEL' "$T/ours"
	expect_no_line . "$tool_err"
	echo >&"$go"
	wait "$target_pid" || fail "$(cat "$target_err")"
	exec {go}>&-
done
