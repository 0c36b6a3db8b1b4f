#!/bin/bash
# nginx can log the bytes of a request ($request_length) and of its response ($bytes_sent). Over HTTP/1 these are the bytes
# on the wire. Over HTTP/2, nginx 1.22.1 counts the two by different rules: for the response, all frames with their
# headers of 9 bytes each; for the request, only the content of the frames: the header block as packed by HPACK, and the
# body without frame headers and padding.
#
# So the log shows 518 bytes for a request with a field of 500 bytes if it is the first one of a connection, and 5 bytes
# for the same request if it is the second, because HPACK's table then has the field. A body that the location does not
# read (here: one with return) does not count at all, also over HTTP/1.
#
# Result (bytes of request and response: on the wire; in the log):
# - HTTP/2, the first request: 527, 85; 518, 85. The same again: 14, 85; 5, 85.
# - HTTP/2, a body of 300 bytes in 3 frames: not read: 341, 85; 5, 85. Read: 347, 71; 311, 71.
# - HTTP/2, a body of 100 bytes with padding of 200, read: 330, 71; 111, 71.
# - HTTP/1, a body of 300 bytes: not read: 368, 161; 68, 161. Read: 372, 147; 372, 147.
set -euo pipefail

folder=$(mktemp -d)
trap 'kill "${server-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq nginx=1.22.1-9+deb12u9 2>/dev/null
dpkg-deb -x ./*.deb unpacked
cat >nginx.conf <<END
daemon off;
master_process off;
pid $folder/pid;
events {}
http {
	log_format bytes '\$request_method \$request_length \$bytes_sent';
	access_log $folder/log bytes;
	client_body_temp_path $folder/1;
	proxy_temp_path $folder/2;
	fastcgi_temp_path $folder/3;
	uwsgi_temp_path $folder/4;
	scgi_temp_path $folder/5;
	server {
		listen unix:$folder/http2 http2;
		listen unix:$folder/http1;
		location / { return 200 "hello hello hello\n"; }
		location /read { proxy_pass http://unix:$folder/upstream:/; }
	}
	server {
		listen unix:$folder/upstream;
		access_log off;
		location / { return 200 "read\n"; }
	}
}
END
cat >client.py <<'PY'
import socket

def frame(kind, flags, stream, payload=b''):
    return len(payload).to_bytes(3, 'big') + bytes([kind, flags]) + stream.to_bytes(4, 'big') + payload

DATA, HEADERS, SETTINGS = 0, 1, 4
END_STREAM, END_HEADERS, PADDED = 1, 4, 8

server = socket.socket(socket.AF_UNIX)
server.connect('http2')
answers = server.makefile('rb')
server.sendall(b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' + frame(SETTINGS, 0, 0))

def ask(stream, block, *bodies, padding=0):
    request = frame(HEADERS, END_HEADERS | (0 if bodies else END_STREAM), stream, block)
    for number, body in enumerate(bodies, 1):
        if padding:
            body = bytes([padding]) + body + bytes(padding)
        request += frame(DATA, (END_STREAM if number == len(bodies) else 0) | (PADDED if padding else 0), stream, body)
    server.sendall(request)
    received = flags = 0
    kind = SETTINGS
    while not (kind in (DATA, HEADERS) and flags & END_STREAM):
        head = answers.read(9)
        length, kind, flags = int.from_bytes(head[:3], 'big'), head[3], head[4]
        answers.read(length)
        if int.from_bytes(head[5:], 'big') == stream and kind in (DATA, HEADERS):
            received += 9 + length
    print('POST' if bodies else 'GET', len(request), received)

# HPACK fields: :method, :scheme and :path by number; :authority and x-token in full, and added to the table, where they
# then have the numbers 63 and 62.
kept = b'\x41\x01a' + b'\x40\x07x-token\x7f\xf5\x02' + b'q' * 500
ask(1, b'\x82\x86\x84' + kept)
ask(3, b'\x82\x86\x84\xbf\xbe')
ask(5, b'\x83\x86\x84\xbf\xbe', b'a' * 100, b'b' * 100, b'c' * 100)
ask(7, b'\x83\x86\x04\x05/read\xbf\xbe', b'a' * 100, b'b' * 100, b'c' * 100)
ask(9, b'\x83\x86\x04\x05/read\xbf\xbe', b'a' * 100, padding=200)

def ask_http1(path):
    request = f'POST {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 300\r\n\r\n'.encode() + b'a' * 300
    with socket.socket(socket.AF_UNIX) as server:
        server.connect('http1')
        server.sendall(request)
        print('POST', len(request), len(server.makefile('rb').read()))

ask_http1('/')
ask_http1('/read')
PY
nginx=unpacked/usr/sbin/nginx
"$nginx" -v
"$nginx" -e errors -p "$folder" -c "$folder/nginx.conf" &
server=$!
for _ in {1..100}; do
	[ ! -S upstream ] || break
	sleep 0.1
done
timeout 20 python3 client.py >wire
kill "$server"
wait "$server" || true
echo 'on the wire:' && cat wire
echo 'in the log:' && cat log
diff - <(paste -d ' ' wire log) <<'END'
GET 527 85 GET 518 85
GET 14 85 GET 5 85
POST 341 85 POST 5 85
POST 347 71 POST 311 71
POST 330 71 POST 111 71
POST 368 161 POST 68 161
POST 372 147 POST 372 147
END
echo 'so it is: responses are counted with their frames, requests without'
