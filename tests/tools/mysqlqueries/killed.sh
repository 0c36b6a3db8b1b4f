#!/bin/bash
# alone: it kills a tool, and any tool that starts next would remove the leftover probes
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../mysql.bash"

# After the tool is killed, the server, here with a thread pool, continues, and the next tool traces
# all of it. After the server is killed, the run ends.
need_mysql_client
start_mariadb --thread-handling=pool-of-threads
run_tool mysqlqueries -p "$mariadb_pid"
client load 4x200 &
wait_for "[ \$(wc -l <'$tool_out') -gt 50 ]" 20
kill -KILL "$tool_pid"
wait $! || fail "the client ended with $?"
run_tool mysqlqueries -p "$mariadb_pid" --command query
client query "create database d" query 'create table d.t (a int primary key) engine=innodb' \
	query 'insert into d.t values (1)' query 'select * from d.t'
wait_for "[ \$(wc -l <'$tool_out') -gt 4 ]" 10
kill -KILL "$mariadb_pid"
stop_tool
expect_status 0
expect_equal "$(awk 'NR > 1' "$tool_out" | sed -E 's/^([^ ]+ +){5}//')" "ok     Query    create database d
ok     Query    create table d.t (a int primary key) engine=innodb
ok     Query    insert into d.t values (1)
ok     Query    select * from d.t"
