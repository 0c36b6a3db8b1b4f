#!/bin/bash
# timeout: 240
# alone: it traces every process, and each valgrind or qemu-user changes where its probes are
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"

# httpsnoop has probes in the files of TLS libraries until an emulator or an instrumenter runs.
# Programs in these behave as without the tool, whether they start before or after it, and servers
# are traced all the time.
need_command valgrind
ways=('valgrind -q --vgdb=no')
! command -v "qemu-$(uname -m)" >/dev/null || ways+=("qemu-$(uname -m)")
mkfifo "$T/lines"
# shellcheck disable=SC2034 # keeps it open
exec {lines}<>"$T/lines"
start_waiting() { # WAY
	# shellcheck disable=SC2086 # words
	stdin=$T/lines start_target_and_wait $1 "$TARGETS/tls_calls" wait
}
expect_unharmed() {
	echo >"$T/lines"
	wait_for "! alive $target_pid" 60
	expect_equal "$(<"$target_out")" "$plain"
}
expect_nginx_seen() {
	requests=$((requests + 1))
	curl -sk --http1.1 "https://127.0.0.1:$tls_port/ok?request=$requests" -o "$T/body"
	wait_for "grep -q '\"side\":\"server\".*request=$requests\"' '$tool_out'" 20
}
# shellcheck disable=SC2119 # it needs no lines
start_nginx
requests=0
start_waiting env
echo >"$T/lines"
wait_for "! alive $target_pid" 20
plain=$(<"$target_out")
expect_equal "$plain" $'ready\nread -1\nwritten -1'

leaves='would take probes in the files of TLS libraries for code; from now on probes are placed in each process'
for way in "${ways[@]}"; do
	for filter in '' '--comm nginx'; do
		# shellcheck disable=SC2086 # words
		run_tool httpsnoop --json $filter
		expect_nginx_seen
		expect_no_line "^httpsnoop: " "$tool_err"
		start_waiting "$way"
		wait_for "grep -q '^httpsnoop: [a-z-]* ($target_pid) $leaves' '$tool_err'" 20
		expect_nginx_seen
		expect_unharmed
		expect_nginx_seen
		stop_tool INT
		expect_status 0
	done

	start_waiting "$way" # before the tool
	run_tool httpsnoop --json
	expect_line "^httpsnoop: [a-z-]* \\($target_pid\\) $leaves" "$tool_err"
	expect_nginx_seen
	expect_unharmed
	stop_tool INT
	expect_status 0
done
