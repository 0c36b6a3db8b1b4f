#!/bin/bash
# shares: bookworm http
# alone: httpsnoop shows requests of all processes, also downloads of other tests
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/http-servers.bash"
need_command openssl h2load

# Apache, unencrypted and with TLS, compared with its own log; many HTTP/2 requests at a time.
debian_root bookworm apache2-bin
port=$(free_port) tls_port=$(free_port)
make_certificate "$T"
mkdir "$T/www"
head -c 1000000 /dev/zero >"$T/www/big"
touch "$T/www/ok"
chmod -R a+rX "$T"
cat >"$T/conf" <<END
ServerRoot $T
ServerName localhost
PidFile $T/pid
ErrorLog $T/errors
Listen 127.0.0.1:$port
Listen 127.0.0.1:$tls_port
User #65534
Group #65534
$(for module in mpm_event authz_core ssl socache_shmcb http2; do echo "LoadModule ${module}_module /usr/lib/apache2/modules/mod_$module.so"; done)
DocumentRoot $T/www
Protocols h2 h2c http/1.1
LogFormat "%m %U%q %>s" short
CustomLog $T/access short
<VirtualHost *:$tls_port>
CustomLog $T/access-tls short
SSLEngine on
SSLCertificateFile $T/cert
SSLCertificateKeyFile $T/key
</VirtualHost>
END
start_target "${in_root[@]}" apache2 -DFOREGROUND -f "$T/conf"
wait_for "curl -sf http://127.0.0.1:$port/ok" 20
run_tool httpsnoop --json
: >"$T/access"
request_usual "$port" "http://127.0.0.1:$port"
request_usual "$tls_port" "https://127.0.0.1:$tls_port" -k --http1.1
stop_tool INT
expect_status 0
expect_served "$T/access" "$port" 0
expect_served "$T/access-tls" "$tls_port" 0

for way in lengths calls; do
	: >"$T/access"
	: >"$T/access-tls"
	run_tool httpsnoop --json --buffer 64M --force-sockets "$way" -p "$target_pid" -F
	for url in "http://127.0.0.1:$port" "https://127.0.0.1:$tls_port"; do
		h2load -n 2000 -c 20 -m 10 "$url/ok" >"$T/load"
		expect_line '^requests: 2000 total, 2000 started, 2000 done, 2000 succeeded' "$T/load"
		h2load -n 60 -c 3 -m 10 "$url/big" "$url/ok?x=1" "$url/missing" >"$T/load"
	done
	wait_for "[ \"\$(grep -cE '\"(local|peer)\":\"[^\"]*:($port|$tls_port)\"' '$tool_out')\" -ge 4120 ]" 20
	wait_for "[ \"\$(cat '$T/access' '$T/access-tls' | wc -l)\" -ge 4120 ]" 20
	stop_tool INT
	expect_status 0
	expect_no_line . "$tool_err"
	for log in "access:$port" "access-tls:$tls_port"; do
		jq -c 'select(((.local, .peer) | strings | endswith(":'"${log#*:}"'")))' "$tool_out" >"$T/ours"
		expect_equal "$(rows server "$T/ours" | cut -d ' ' -f 1-3 | sort | uniq -c)" "$(sort "$T/${log%:*}" | uniq -c)"
		expect_equal "$(jq -r '"\(.version) \(.error)"' "$T/ours" | sort -u)" 'HTTP/2 null'
	done
done
