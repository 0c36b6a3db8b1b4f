# shellcheck shell=sh
# timeout: 240
. /kernels/lib.sh

# The kernel accepts the programs for TLS, also the generated ones for Go (a program with Go's TLS runs).
[ -x /targets/go-web ] || skip 'the machine has no Go'
start_target /targets/go-web serve
url=$(cat "$target_out")
run_tool httpsnoop
/targets/go-web get "$url/one"
wait_for "[ \$(grep -c GET '$tool_out') -ge 2 ]" 60
stop_tool INT
expect_no_line 'not seen' "$tool_err"
expect_equal "$(awk '/GET/ { print $4, $7 }' "$tool_out" | sort | xargs)" 'client 200 server 200'
