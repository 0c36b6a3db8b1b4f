#!/bin/bash
# timeout: 300
# shares: bookworm trixie
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/tools/http.bash"
need_command jq openssl

# One server with the TLS libraries that Debian builds it for: the requests that the tool shows are
# those of the server's log, with curl's ports and numbers of bytes.
make_certificate "$T"
cat "$T/key" "$T/cert" >"$T/pem"
mkdir "$T/www"
echo small >"$T/www/small"
head -c 3000000 /dev/zero >"$T/www/big"
chmod -R a+rX "$T"

write_configuration() { # MODULE
	cat >"$T/conf" <<-END
		server.document-root = "$T/www"
		server.bind = "127.0.0.1"
		server.port = $port
		server.modules = ("mod_accesslog", "mod_$1")
		accesslog.filename = "$T/log"
		accesslog.format = "%m %U %s %b"
		server.upload-dirs = ("$T")
		ssl.engine = "enable"
		ssl.pemfile = "$T/pem"
	END
}

# Writes what curl had to $T/asked: "METHOD PATH STATUS BYTES PORT".
request() {
	local url=https://127.0.0.1:$port format=' %{http_code} %{size_download} %{local_port}\n'
	local ask=(curl -sk -o "$T/body")
	{
		"${ask[@]}" --http1.1 -w "GET /small$format" "$url/small" -o "$T/body" "$url/small"
		"${ask[@]}" --http1.1 -w "GET /big$format" "$url/big"
		"${ask[@]}" --http1.1 -w "GET /missing$format" "$url/missing"
		"${ask[@]}" --http1.1 -w "POST /small$format" -H 'Expect:' --data-binary "@$T/www/big" "$url/small"
		"${ask[@]}" --http2 -w "GET /small$format" "$url/small" -o "$T/body" "$url/small"
		"${ask[@]}" --http2 -w "GET /big$format" "$url/big"
	} >"$T/asked"
}

start_server() { # MODULE
	port=$(free_port)
	write_configuration "$1"
	: >"$T/log"
	start_target "${in_root[@]}" /usr/sbin/lighttpd -D -f "$T/conf"
	wait_for "curl -sk --http1.1 'https://127.0.0.1:$port/small' >'$T/body' || ! alive $target_pid" 60
	alive "$target_pid"
}

expect_seen() { # MODULE
	local tries=0
	# With mod_mbedtls, lighttpd often dies at its first connections, also when no tool runs.
	until start_server "$1"; do
		tries=$((tries + 1))
		[ "$1" = mbedtls ] || fail "lighttpd with $1: $(cat "$target_err")"
		[ "$tries" -lt 10 ] || { echo "not tried: lighttpd with $1 dies" && return 0; }
	done
	run_tool httpsnoop --json -s
	request
	if [ "$1" = mbedtls ] && ! alive "$target_pid"; then
		stop_tool INT
		echo "not tried: lighttpd with $1 dies"
		return
	fi
	wait_for "[ \"\$(grep -c '\"local\":\"127.0.0.1:$port\"' '$tool_out')\" -ge 8 ]" 20
	stop_tool INT
	expect_status 0
	stop_target # then it writes its log, which has lines of HTTP/2 prefaces, too
	jq -r 'select(.local == "127.0.0.1:'"$port"'") | "\(.method) \(.path) \(.status) \(.bytes) \(.peer | sub(".*:"; ""))"' "$tool_out" | sort >"$T/shown"
	expect_equal "$(cat "$T/shown")" "$(sort "$T/asked")"
	expect_equal "$(cut -d ' ' -f 1-3 "$T/shown")" "$(grep -v '^PRI' "$T/log" | tail -n 8 | cut -d ' ' -f 1-3 | sort)"
	expect_no_line '"error"' "$tool_out"
}

for suite in bookworm trixie; do
	debian_root "$suite" lighttpd lighttpd-mod-{gnutls,mbedtls,wolfssl,openssl}
	for module in gnutls mbedtls wolfssl openssl; do
		expect_seen "$module"
	done
done

# The functions of NSS have no names, and it is said.
debian_root bookworm lighttpd lighttpd-mod-nss
start_server nss || skip "lighttpd with NSS does not start: $(cat "$target_err")"
run_tool httpsnoop -p "$target_pid"
for n in 1 2; do
	curl -sk "https://127.0.0.1:$port/small?$n" -o "$T/body"
done
stop_tool INT
expect_status 0
stop_target
expect_equal "$(cat "$tool_err")" 'httpsnoop: 2 TLS connections of lighttpd could not be traced: its TLS library is NSS, which is not traced'
