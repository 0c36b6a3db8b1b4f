#!/bin/bash
# timeout: 180
# shares: sid nginx
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/tools/http.bash"
need_command jq openssl

# Stripped Rust programs of Debian with rustls: the server miniserve, in which the function that
# reads is a part of another one, and the client xh. The rows are those that curl and nginx count.
debian_root sid miniserve xh
make_certificate "$T"
mkdir "$T/files"
head -c 1000000 /dev/zero >"$T/files/big"
echo small >"$T/files/small"

port=$(free_port)
start_target "${in_root[@]}" miniserve -i 127.0.0.1 -p "$port" --tls-cert "$T/cert" --tls-key "$T/key" "$T/files"
url=https://127.0.0.1:$port
wait_for "curl -sk '$url/small' >'$T/body'" 30
run_tool httpsnoop --json -s -p "$target_pid"
wait_for "curl -sk '$url/first' >'$T/body'; grep -q '\"path\":\"/first\"' '$tool_out'" 30
for version in 1.1 2; do
	for path in small big missing; do
		curl -sk "--http$version" -o "$T/body" -w "GET /$path?$version %{http_code} %{size_download}\\n" "$url/$path?$version"
	done
	curl -sk "--http$version" -o "$T/body" -o "$T/body" -o "$T/body" "$url/small?"{a,b,c}"$version" -w "%{size_download}\\n" | sort -u
done >"$T/asked"
{
	grep GET "$T/asked"
	for name in {a,b,c}{1.1,2}; do
		echo "GET /small?$name 200 6"
	done
} | sort >"$T/expected"
wait_for "[ \"\$(grep -vc /first '$tool_out')\" -ge 12 ]" 20
stop_tool INT
expect_status 0
expect_equal "$(grep -v /first "$tool_out" | rows server /dev/stdin | sort)" "$(cat "$T/expected")"
expect_no_line 'TLS|lost|calls' "$tool_err"
stop_target

# xh makes its request when its standard input has ended.
start_nginx
head -c 1000000 /dev/zero >"$T/www/big"
mkfifo "$T/body-of-request"
request() { # PATH OPTION…
	local path=$1
	shift
	exec 8<>"$T/body-of-request"
	stdin=$T/body-of-request start_target "${in_root[@]}" xh --verify=no "$@" "https://127.0.0.1:$tls_port$path" 8>&-
	wait_for "[ \"\$(readlink '/proc/$target_pid/exe')\" = '$root/usr/bin/xh' ]" 20
	run_tool httpsnoop --json -c -p "$target_pid" 8>&-
	[ "$path" != /post ] || head -c 300000 /dev/zero >&8
	exec 8>&-
	wait_for "! alive $target_pid" 30
	stop_tool INT
	expect_status 0
	rows client "$tool_out" >>"$T/made"
	expect_no_line 'TLS|lost|calls' "$tool_err"
}
: >"$T/made"
request '/ok?1' GET
request /big GET --http-version=1.1
request /missing GET --http-version=2
request /post POST
expect_equal "$(cat "$T/made")" "$(cat "$access_log")"
