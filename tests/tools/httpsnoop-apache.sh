#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/http-servers.bash"
need_command openssl

# Apache, in clear and under TLS, as its own log has it.
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
$(for module in mpm_event authz_core ssl socache_shmcb; do echo "LoadModule ${module}_module /usr/lib/apache2/modules/mod_$module.so"; done)
DocumentRoot $T/www
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
