# shellcheck shell=sh
. /kernels/lib.sh

# Each request that a Go program serves or makes is shown once.
[ "$(uname -m)" = x86_64 ] || skip 'gohttp knows the calls of Go on x86-64 only'
[ -x /targets/go-web ] || skip 'the machine has no Go'
start_target /targets/go-web serve
url=$(cat "$target_out") server=$target_pid
run_tool gohttp --server -p "$server"
/targets/go-web get "$url/one" "$url/missing"
stop_tool INT
expect_equal "$(awk 'NR > 1 { print $2, $3, $5, $6, $8, $9 }' "$tool_out")" "$server go-web GET 200 5 ${url#http://}/one
$server go-web GET 404 19 ${url#http://}/missing"
run gohttp -- /targets/go-web get "$url/old" "$url/teapot"
expect_status 0
expect_equal "$(awk 'NR > 1 { print $3, $5, $6, $8, $9 }' "$tool_out")" "go-web GET 302 36 $url/old
go-web GET 200 5 $url/new?from=old
go-web GET 418 0 $url/teapot"

# Reading the header traceparent makes the programs longer.
for side in '' --server; do
	run gohttp $side --json --trace-id -- /targets/go-web traced
	expect_status 0
	expect_count 2 '"path":"/traced/3","trace_id":"0{31}4"' "$tool_out"
done
