#!/bin/bash
# shares: redis
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/redis.bash"

# A server whose slow log function cannot be probed: the tool probes its call() instead, which also
# shows EXEC, and says that times are too long. Commands with secrets show only their names, also if
# the server has renamed them.
need_command redis-server
sed 's/slowlogPushEntryIfNeeded/slowlogPushEntryIsHidden/g' "$(readlink -f "$(command -v redis-server)")" >"$T/redis-server"
chmod +x "$T/redis-server"
redis_program=$T/redis-server start_redis --rename-command ACL groups --rename-command CONFIG settings
compare_with_monitor
expect_line 'measured around its call\(\) and is some microseconds too long' "$tool_err"

run_tool rediscommands -p "$redis_pid"
{
	cli groups setuser somebody on '>first-of-their-own' '+@all'
	cli settings set masterauth second-of-their-own
	cli settings get maxmemory
	printf 'multi\nsettings set requirepass third-of-their-own\nset key value\nexec\n' | cli
	cli --no-auth-warning -a third-of-their-own hello 3 auth default third-of-their-own
	cli --no-auth-warning -a third-of-their-own get the-end
} >"$T/out"
clients_gone
stop_tool INT
expect_status 0
expect_no_line of-their-own "$tool_out"
expect_count 2 ' settings \.\.\. \[3 more\]$' "$tool_out"
expect_count 2 ' AUTH \.\.\. \[1 more\]$' "$tool_out"
for shown in 'settings get maxmemory' 'set key value' exec 'get the-end' 'groups \.\.\. \[5 more\]' 'hello \.\.\. \[4 more\]'; do
	expect_count 1 " $shown\$" "$tool_out"
done
