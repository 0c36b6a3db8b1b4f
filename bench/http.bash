# shellcheck shell=bash disable=SC2154 # work, has_bpftrace, row …: bench/run
#
# Parts of bench/run: the CPU time of servers per request while httpsnoop shows all requests,
# measured as for statements (servers.bash), and the cost of socket calls that are not HTTP.

# Prints the bpftrace script that comes closest to httpsnoop: it shows the first bytes received, and
# the time until the server sends. Prints nothing if the kernel has no tracepoints of system calls.
http_script() { # COMM RECEIVE BUFFER SEND: the processes' name and their system calls
	[ -n "$has_bpftrace" ] && [ -d "/sys/kernel/tracing/events/syscalls/sys_enter_$2" ] || return 0
	echo "
		tracepoint:syscalls:sys_enter_$2 /comm == \"$1\"/ { @into[tid] = args->$3 }
		tracepoint:syscalls:sys_exit_$2 /@into[tid]/ {
			if (args->ret > 0) { @start[tid] = nsecs; @text[tid] = str(@into[tid], 64) }
			delete(@into[tid]) }
		tracepoint:syscalls:sys_enter_$4 /@start[tid]/ {
			printf(\"%d %s\n\", (nsecs - @start[tid]) / 1000, @text[tid]); delete(@start[tid]); delete(@text[tid]) }"
}

# Measures a server while a client sends REQUESTS, one after another on one connection.
compare_requests() { # NAME PID URL REQUESTS SCRIPT
	local name=$1 calls=$4 processes
	isolate_on_last_cpu "$2"
	processes=$(printf -- '-p %s ' "$2" $(pgrep -P "$2"))
	server_cpu_load "$calls" "h2load --h1 -c 1 -n $calls '$3' >'$T/out' 2>&1"
	# shellcheck disable=SC2086 # words
	compare_cost "server CPU per shown request of $name" "$BIN/httpsnoop" $processes --- "$5"
}

with_nginx() {
	# shellcheck source=tests/tools/http.bash
	source "$here/../tests/tools/http.bash"
	need_command h2load
	start_nginx
}

nginx_requests() {
	with_nginx
	compare_requests nginx "$nginx_pid" "http://127.0.0.1:$port/ok" 20000 "$(http_script nginx recvfrom ubuf writev)"
}

nginx_tls_requests() {
	with_nginx
	compare_requests 'nginx under TLS' "$nginx_pid" "https://127.0.0.1:$tls_port/ok" 20000 ''
}

python_requests() {
	need_command h2load
	start_target /usr/bin/python3 -u -c 'import http.server, socket
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    def do_GET(self):
        self.send_response(200); self.send_header("Content-Length", "3"); self.end_headers(); self.wfile.write(b"ok\n")
    def log_message(self, *arguments): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1]); server.serve_forever()'
	wait_for "[ -s '$target_out' ]" 20
	compare_requests "Python's http.server" "$target_pid" "http://127.0.0.1:$(cat "$target_out")/ok" 3000 \
		"$(http_script "$(cat "/proc/$target_pid/comm")" recvfrom ubuf sendto)"
}

node_requests() {
	need_command h2load node
	start_target node -e 'const http = require("http");
const server = http.createServer((request, response) => response.end("ok\n"));
server.listen(0, "127.0.0.1", () => console.log(server.address().port));'
	wait_for "[ -s '$target_out' ]" 20
	compare_requests 'Node' "$target_pid" "http://127.0.0.1:$(cat "$target_out")/ok" 5000 "$(http_script node read buf write)"
}

# What httpsnoop adds to system calls of a process that it traces, and to those of one that it does
# not trace: first it traces the load itself, then only another process.
other_calls() {
	local kind load
	start_target sleep 600
	for kind in socket other; do
		load="taskset -c $(($(nproc) - 1)) $bench/flood-socket $kind 200000 10"
		measure -r 7 -l "$load" /bin/sh "$here/no-tool" --- "$BIN/httpsnoop" --no-tls --comm flood-socket \
			--- "$BIN/httpsnoop" --no-tls -p "$target_pid"
		case $kind in
		socket)
			row 'added to a socket call that is not HTTP, ns' "$(added 2)" - 120
			row '  added to one of an untraced process' "$(added 3)" - 60
			;;
		other) row '  added to another system call' "$(added 2)" - 5 ;;
		esac
	done
}
added() { awk -v with="$(field "$1" load)" -v alone="$(field 1 load)" 'BEGIN { printf "%.0f", with - alone }'; }

http() {
	with_servers nginx_requests
	with_servers nginx_tls_requests
	with_servers python_requests
	with_servers node_requests
	with_servers other_calls
}
