# shellcheck shell=sh
. /kernels/lib.sh

# Commands with their arguments, from a server that the tool finds; a fixture stands in for Redis. Only
# on x86-64, where the tool knows the code of servers.
cp /targets/redis "$T/redis-server"
if [ "$(uname -m)" != x86_64 ]; then
	start_target "$T/redis-server"
	run rediscommands -p "$target_pid"
	expect_status 1
	expect_line 'redis-server: commands can only be traced on x86-64; ' "$tool_err"
	skip 'rediscommands knows the code of servers on x86-64 only'
fi
start_target "$T/redis-server"
run_tool rediscommands -Z 10 -M 4
echo >&8
stop_tool
expect_equal "$(awk 'NR > 1 { $1 = ""; print }' "$tool_out")" " $target_pid 42 150us - set user:1 \"two words\"
 $target_pid 42 7.00us - get user:1
 $target_pid 42 20.0us - set -7 xxxxxxxxxx... [500 bytes]
 $target_pid 42 30.0us - set user:1 ?"
run_tool rediscommands --digest -c set -m 20 -p "$target_pid"
echo >&8
wait_for "[ \$(grep -c done '$target_out') -ge 2 ]" 60
stop_tool INT
expect_equal "$(awk 'NR > 1 { print $1, $2, $NF }' "$tool_out")" '3 200us set'
