# shellcheck shell=sh
# timeout: 240
. /kernels/lib.sh

# Each unencrypted request of a server and its client is shown once, with the kernel's best way to watch
# sockets and with the other one.
mkdir -p /tmp/www
echo hello >/tmp/www/small
start_target sh -c 'echo ready; exec busybox httpd -f -p 127.0.0.1:8080 -h /tmp/www'
wait_for 'busybox wget -q -O /tmp/ready http://127.0.0.1:8080/small' 60
ways="''"
[ ! -d /sys/kernel/tracing/events/sock/sock_send_length ] || ways='"" "--force-sockets calls"'
eval "set -- $ways"
for how in "$@"; do
	# shellcheck disable=SC2086 # words
	run_tool httpsnoop --no-tls $how
	busybox wget -q -O /tmp/body http://127.0.0.1:8080/small
	busybox wget -q -O /tmp/body http://127.0.0.1:8080/missing || true
	wait_for "[ \$(grep -c GET '$tool_out') -ge 4 ]" 60
	stop_tool INT
	expect_equal "$(awk '/GET/ { print $4, $6, $7, $10 }' "$tool_out" | sort)" 'client GET 200 127.0.0.1:8080/small
client GET 404 127.0.0.1:8080/missing
server GET 200 127.0.0.1:8080/small
server GET 404 127.0.0.1:8080/missing'
done
