# shellcheck shell=sh
# timeout: 240
. /kernels/lib.sh

# The kernel accepts the programs for TLS, also the generated ones for Go (a program with Go's TLS runs)
# and those for HTTP/3.
http3=/usr/lib/x86_64-linux-gnu/libnghttp3.so.9
if [ -e "$http3" ]; then
	httpsnoop --dry-run >"$T/plan"
	expect_line "nghttp3_conn_read_stream" "$T/plan"
fi

[ -x /targets/go-web ] || skip 'the machine has no Go'
start_target /targets/go-web serve
url=$(cat "$target_out")
run_tool httpsnoop
/targets/go-web get "$url/one"
wait_for "[ \$(grep -c GET '$tool_out') -ge 2 ]" 60
stop_tool INT
expect_no_line 'not seen' "$tool_err"
expect_equal "$(awk '/GET/ { print $4, $7 }' "$tool_out" | sort | xargs)" 'client 200 server 200'
