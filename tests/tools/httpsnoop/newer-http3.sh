#!/bin/bash
# timeout: 240
# shares: http sid
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command jq openssl

# HTTP/3 of sid's curl, with ngtcp2's QUIC and a newer libnghttp3. nginx has HTTP/3 of its own: it is
# reported at the end.
debian_root sid curl nginx
make_certificate "$T"
mkdir -p "$T/www" "$root/etc"
echo hello >"$T/www/ok"
head -c 1000000 /dev/zero >"$T/www/big"
chmod -R a+rX "$T"
grep -s '^nobody:' "$root/etc/passwd" >"$T/user" || echo 'nobody:x:65534:65534::/:/bin/false' >>"$root/etc/passwd"
grep -s '^nogroup:' "$root/etc/group" >"$T/user" || echo 'nogroup:x:65534:' >>"$root/etc/group"
port=$(free_port)
cat >"$T/conf" <<END
daemon off; worker_processes 1; pid $T/pid; error_log $T/errors;
events { }
http {
	log_format short '\$request_method \$request_uri \$status \$body_bytes_sent';
	access_log $T/access short; root $T/www; client_body_temp_path $T/a; proxy_temp_path $T/b;
	fastcgi_temp_path $T/c; uwsgi_temp_path $T/d; scgi_temp_path $T/e;
	server { listen 127.0.0.1:$port quic; ssl_certificate $T/cert; ssl_certificate_key $T/key; location /post { return 201 posted; } }
}
END
start_target "${in_root[@]}" nginx -c "$T/conf" -p "$T" -e "$T/errors"
url=https://127.0.0.1:$port
get=("${in_root[@]}" curl --http3-only -sk)
wait_for "'${in_root[0]}' '${in_root[1]}' '${in_root[2]}' curl --http3-only -sk '$url/ok' >'$T/ready'" 30
wait_for "[ -s '$T/access' ]" 20
: >"$T/access"

# A curl that waits for its requests has the library, so that the tool knows it when the others start.
mkfifo "$T/urls"
exec 8<>"$T/urls"
stdin=$T/urls start_target "${get[@]}" -K -
run_tool httpsnoop --json
"${get[@]}" -o "$T/1" "$url/ok" -o "$T/2" "$url/big" -o "$T/3" "$url/missing?q=1" -w '%{size_download}\n' >"$T/sizes"
"${get[@]}" -o "$T/4" -d 12345 "$url/post" -w '%{size_download}\n' >>"$T/sizes"
wait_for_rows client 4
stop_tool INT
expect_status 0
wait_for "[ \"\$(wc -l <'$T/access')\" -ge 4 ]" 20
jq -c 'select(.version == "HTTP/3")' "$tool_out" >"$T/ours"
expect_equal "$(rows client "$T/ours")" "$(cat "$T/access")"
expect_equal "$(jq -r '.bytes' "$T/ours")" "$(cat "$T/sizes")"
expect_equal "$(jq -r '"\(.side) \(.comm) \(.peer) \(.host)"' "$T/ours" | sort -u)" \
	"client curl 127.0.0.1:$port 127.0.0.1:$port"
expect_line 'QUIC connections of nginx","reason":"no use of libnghttp3 was seen' "$tool_out"
