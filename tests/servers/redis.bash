# shellcheck shell=bash disable=SC2034,SC2154 # variables from lib.sh, and variables for the tests

# Starts redis-server, or $redis_program; sets redis_pid, redis_socket.
start_redis() { # ARG…
	need_command redis-server redis-cli
	mkdir "$T/redis"
	redis_socket=$T/redis/s
	start_server_ "$redis_socket" "$T/redis/log" "${in_root[@]}" "${redis_program:-redis-server}" \
		--port 0 --unixsocket "$redis_socket" --save '' --daemonize no --dir "$T/redis" "$@"
	redis_pid=$pid
	wait_for "[ \"\$(redis-cli -s '$redis_socket' ping 2>/dev/null)\" = PONG ]" 30
}
