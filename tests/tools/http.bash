# shellcheck shell=bash disable=SC2154 # what is set elsewhere
# What the tests of httpsnoop share: source it behind lib.sh. Servers with a log of their own, and rows without what changes.
need_command curl

# nginx with $T/www, on a free port in clear and on $tls_port under TLS, and on a unix socket; sets nginx_pid, port,
# tls_port, socket, access_log ("METHOD TARGET STATUS BYTES").
start_nginx() { # LINE… for the servers
	need_command nginx openssl
	mkdir -p "$T/www" "$T/nginx"
	port=$(free_port) tls_port=$(free_port) socket=$T/nginx/socket access_log=$T/nginx/access
	make_certificate "$T/nginx"
	chmod -R a+rX "$T"
	cat >"$T/nginx/conf" <<-END
		daemon off; worker_processes 2; pid $T/nginx/pid; error_log $T/nginx/errors;
		events { worker_connections 20000; }
		http {
			log_format short '\$request_method \$request_uri \$status \$body_bytes_sent';
			access_log $access_log short; root $T/www; keepalive_requests 1000000; client_max_body_size 10m; large_client_header_buffers 4 32k;
			client_body_temp_path $T/nginx/a; proxy_temp_path $T/nginx/b; fastcgi_temp_path $T/nginx/c;
			uwsgi_temp_path $T/nginx/d; scgi_temp_path $T/nginx/e;
			server { listen 127.0.0.1:$port; listen unix:$socket; $* location /ok { return 200 "ok\\n"; } }
			server { listen 127.0.0.1:$tls_port ssl http2; ssl_certificate $T/nginx/cert; ssl_certificate_key $T/nginx/key;
				location /ok { return 200 "ok\\n"; } }
		}
	END
	start_ "$T/nginx/log" "$T/nginx/log" nginx -c "$T/nginx/conf" -p "$T/nginx" -e "$T/nginx/errors"
	nginx_pid=$pid
	wait_for "curl -sf http://127.0.0.1:$port/ok >'$T/nginx/ready'" 20
	wait_for "[ -s '$access_log' ]" 20 # it is written behind the answer
	: >"$access_log"
}

make_certificate() { # FOLDER: its files key and cert
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1/key" -out "$1/cert" -days 2 \
		-subj /CN=localhost 2>"$1/openssl" || fail "openssl: $(cat "$1/openssl")"
}

free_port() {
	/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# A row for each request, as access_log has them: of the JSON rows of a side and a port or path.
rows() { # SIDE FILE
	jq -r 'select(.side == "'"$1"'") | "\(.method) \(.path)\(.url | capture("(?<q>\\?.*)$") // {q: ""} | .q) \(.status // 0) \(.bytes // 0)"' "$2"
}

# Until that many rows of the side are there.
wait_for_rows() { # SIDE COUNT
	wait_for "[ \"\$(grep -c '\"side\":\"$1\"' '$tool_out')\" -ge $2 ]" 20
}
