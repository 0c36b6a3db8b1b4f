#!/bin/bash
# shares: http php-fpm
# alone: httpsnoop shows requests of all processes, also downloads of other tests
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/http-servers.bash"

# nginx in front of php-fpm, to which it speaks FastCGI, compared with nginx's log.
fpm=$(compgen -G '/usr/sbin/php-fpm*' | sort -V | tail -n 1) || skip 'php-fpm is not installed'
cat >"$T/fpm.conf" <<END
[global]
daemonize = no
error_log = $T/fpm.log
[www]
listen = $T/fpm.socket
listen.mode = 0666
user = root
pm = static
pm.max_children = 2
END
cat >"$T/index.php" <<'END'
<?php
$path = parse_url($_SERVER["REQUEST_URI"], PHP_URL_PATH);
if ($path === "/slow") usleep(100000);
if ($path === "/missing") http_response_code(404);
echo str_repeat("x", $path === "/big" ? 1000000 : 2);
END
start_target "$fpm" -R -n -y "$T/fpm.conf" -F
wait_for "[ -S '$T/fpm.socket' ]" 20
start_nginx "location /{ fastcgi_pass unix:$T/fpm.socket; fastcgi_param SCRIPT_FILENAME $T/index.php; fastcgi_param REQUEST_URI \$request_uri;
	fastcgi_param REQUEST_METHOD \$request_method; fastcgi_param QUERY_STRING \$query_string; fastcgi_param CONTENT_TYPE \$content_type;
	fastcgi_param CONTENT_LENGTH \$content_length; }"
wait_for "curl -sf 'http://127.0.0.1:$port/big' -o '$T/body'" 20
run_tool httpsnoop --json --no-tls
: >"$access_log"
request_usual "$port" "http://127.0.0.1:$port"
stop_tool INT
expect_status 0
cut -d ' ' -f 1-3 "$access_log" >"$T/log"
expect_served "$T/log" "$port"
