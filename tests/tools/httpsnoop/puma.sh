#!/bin/bash
# shares: bookworm http
# alone: httpsnoop shows requests of all processes, also downloads of other tests
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/http-servers.bash"
need_command openssl

# Puma, a Ruby server, unencrypted and with TLS, compared with the log of the program that it runs.
debian_root bookworm uvicorn gunicorn puma
make_certificate "$T"
chmod -R a+rX "$T"
cat >"$T/config.ru" <<'END'
run lambda { |env|
  sleep 0.1 if env["PATH_INFO"] == "/slow"
  env["rack.input"].read
  status = env["PATH_INFO"] == "/missing" ? 404 : 200
  $stdout.write("#{env["REQUEST_METHOD"]} #{env["REQUEST_URI"]} #{status}\n")
  $stdout.flush
  [status, {"content-type" => "text/plain"}, ["x" * (env["PATH_INFO"] == "/big" ? 1000000 : 2)]]
}
END
cd / # also exists in the root
port=$(free_port) tls_port=$(free_port)
start_target "${in_root[@]}" puma --quiet -t 2:2 -b "tcp://127.0.0.1:$port" -b "ssl://127.0.0.1:$tls_port?key=$T/key&cert=$T/cert" "$T/config.ru"
wait_for "curl -skf 'https://127.0.0.1:$tls_port/ok' -o '$T/body'" 30
run_tool httpsnoop --json
request_usual "$port" "http://127.0.0.1:$port"
request_usual "$tls_port" "https://127.0.0.1:$tls_port" -k
stop_tool INT
expect_status 0
grep -E '^[A-Z]+ /' "$target_out" | tail -n 20 >"$T/log"
head -n 10 "$T/log" >"$T/first"
tail -n 10 "$T/log" >"$T/last"
expect_served "$T/first" "$port"
expect_served "$T/last" "$tls_port"
