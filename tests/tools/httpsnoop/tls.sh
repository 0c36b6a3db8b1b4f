#!/bin/bash
# ring: first
# alone: httpsnoop shows requests of all processes, also downloads of other tests
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../http.bash"
need_command jq

# Decrypted data of TLS connections: OpenSSL in nginx, curl and Python (with other functions),
# GnuTLS in wget; with the peer.
start_nginx
head -c 1000000 /dev/zero >"$T/www/big"
chmod a+r "$T/www/big"
url=https://127.0.0.1:$tls_port
# A client that sends its request right after it starts may be faster than the tool, which first
# reads its files. So clients receive their request from a file, after they have their probes and
# the tool waits again.
ask() { # TEXT CMD… which reads TEXT in $T/text
	mkfifo "$T/text"
	start_target "${@:2}"
	wait_for_probes "$target_pid"
	wait_for "[[ \$(cat /proc/$tool_pid/stat) = *') S '* ]]" 20
	echo "$1" >"$T/text"
	wait_for "! alive $target_pid" 60
	rm "$T/text"
}
ask_by_curl() { # PATH…
	ask "$(printf "url = $url%s\noutput = $T/body\n" "$@")" curl -sk --http1.1 -K "$T/text"
}
run_tool httpsnoop --json
ask_by_curl '/ok?by=curl' '/big?by=curl'
ask "$url/ok?by=python" /usr/bin/python3 -c 'import ssl, sys, urllib.request
url = open(sys.argv[1]).read().strip()
urllib.request.urlopen(url, context=ssl._create_unverified_context()).read()' "$T/text"
clients='GET /ok?by=curl 200 3
GET /big?by=curl 200 1000000
GET /ok?by=python 200 3'
if command -v wget >/dev/null; then
	ask "$url/ok?by=wget" wget -q --no-check-certificate -O "$T/body" -i "$T/text"
	clients+='
GET /ok?by=wget 200 3'
fi
count=$(wc -l <<<"$clients")
ours() { grep "127.0.0.1:$tls_port" "$tool_out" >"$T/ours" || true; } # others may make requests
wait_for "ours; [ \"\$(wc -l <'$T/ours')\" -ge $((2 * count)) ]" 20
stop_tool INT
expect_status 0
ours
expect_equal "$(rows client "$T/ours")" "$clients"
expect_equal "$(rows server "$T/ours")" "$(cat "$access_log")"
expect_equal "$(jq -r .tls "$T/ours" | sort -u)" true
expect_equal "$(jq -r 'select(.side == "client") | .peer' "$T/ours" | sort -u)" "127.0.0.1:$tls_port"
expect_equal "$(jq -r 'select(.side == "server") | .peer' "$T/ours" | sort)" "$(jq -r 'select(.side == "client") | .local' "$T/ours" | sort)"

run_tool httpsnoop --json --no-tls
curl -sk --http1.1 "$url/ok?by=curl" -o "$T/body"
stop_tool INT
expect_no_line "127.0.0.1:$tls_port" "$tool_out"

# Only processes in a cgroup's folder.
root=$(findmnt -nt cgroup2 -o TARGET | head -n 1)
group=$root/uscope-test.$$
[ -n "$root" ] && mkdir "$group" 2>/dev/null || exit 0
at_exit "rmdir '$group'"
run_tool httpsnoop --json --cgroup-path "$group"
curl -sk --http1.1 "$url/ok?by=another" -o "$T/body"
# shellcheck disable=SC2016 # variables of the inner shell
ask "url = $url/ok?by=curl" bash -c 'echo "$$" >"$1/cgroup.procs" && exec curl -sk --http1.1 -K "$2" -o "$3"' bash "$group" "$T/text" "$T/body"
wait_for_rows client 1
stop_tool INT
expect_equal "$(jq -r '"\(.side) \(.path) \(.url | sub(".*[?]"; ""))"' "$tool_out")" 'client /ok by=curl'
