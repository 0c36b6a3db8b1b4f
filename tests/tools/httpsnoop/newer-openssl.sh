#!/bin/bash
# timeout: 240
# shares: http sid
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command jq openssl

# OpenSSL 3.3 and newer: SSL_write_ex2(), and SSL_write_ex(), which Python's server calls and which
# only jumps to it.
debian_root sid python3.14
make_certificate "$T"
cp "$ROOT/tests/targets/scripts/http_server.py" "$T"
start_target_and_wait "${in_root[@]}" /usr/bin/python3.14 "$T/http_server.py" "$T"
server_port=$(cat "$target_out")
cat >"$T/client.py" <<'END'
import ctypes, socket, sys
ssl = ctypes.CDLL("libssl.so.3")
for name in "TLS_client_method", "SSL_CTX_new", "SSL_new":
    getattr(ssl, name).restype = ctypes.c_void_p
tls = ctypes.c_void_p(ssl.SSL_new(ctypes.c_void_p(ssl.SSL_CTX_new(ctypes.c_void_p(ssl.TLS_client_method())))))
connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
ssl.SSL_set_fd(tls, connection.fileno())
assert ssl.SSL_connect(tls) == 1
sys.stdin.read(1)
moved, answer = ctypes.c_size_t(), ctypes.create_string_buffer(4096)
for path in sys.argv[2:]:
    request = b"GET %s HTTP/1.1\r\nHost: a\r\n\r\n" % path.encode()
    assert ssl.SSL_write_ex2(tls, request, ctypes.c_size_t(len(request)), ctypes.c_uint64(0), ctypes.byref(moved)) == 1
    assert ssl.SSL_read_ex(tls, answer, ctypes.c_size_t(len(answer)), ctypes.byref(moved)) == 1
    head, body = answer.raw[:moved.value].split(b"\r\n\r\n")
    print("GET", path, head.split()[1].decode(), len(body))
END
mkfifo "$T/go"
exec 8<>"$T/go"
stdin=$T/go start_target "${in_root[@]}" /usr/bin/python3.14 "$T/client.py" "$server_port" /1/a /3/b /0/c
client_out=$target_out
run_tool httpsnoop --json --comm python3.14
echo >&8
wait_for "! alive $target_pid" 30
wait_for_rows server 3
wait_for_rows client 3
stop_tool INT
expect_status 0
expect_equal "$(rows client "$tool_out")" "$(cat "$client_out")"
expect_equal "$(rows server "$tool_out")" "$(cat "$client_out")"
