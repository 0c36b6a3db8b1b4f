# shellcheck shell=bash disable=SC2154 # variables set elsewhere
# For the tests of httpsnoop: servers with their own logs, and rows without values that vary.
# Source this file after lib.sh.
need_command curl

# Starts nginx with $T/www, on $port (unencrypted), $tls_port (TLS) and the unix socket $socket.
# Adds the LINEs to the configuration of the unencrypted server. Also sets nginx_pid and access_log
# ("METHOD TARGET STATUS BYTES" lines).
start_nginx() { # LINE…
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
	wait_for "[ -s '$access_log' ]" 20 # nginx writes the log after the response
	: >"$access_log"
}

make_certificate() { # FOLDER; writes its files key and cert
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1/key" -out "$1/cert" -days 2 \
		-subj /CN=localhost 2>"$1/openssl" || fail "openssl: $(cat "$1/openssl")"
}

free_port() {
	/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Prints the JSON rows of a side (server or client) as lines of access_log.
rows() { # SIDE FILE
	jq -r 'select(.side == "'"$1"'") | "\(.method) \(.path)\(.url | capture("(?<q>\\?.*)$") // {q: ""} | .q) \(.status // 0) \(.bytes // 0)"' "$2"
}

# Waits until the output has COUNT rows of that side.
wait_for_rows() { # SIDE COUNT
	wait_for "[ \"\$(grep -c '\"side\":\"$1\"' '$tool_out')\" -ge $2 ]" 20
}
