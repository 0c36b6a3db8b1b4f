# shellcheck shell=bash disable=SC2154 # variables set elsewhere
# Traces MariaDB's thread pool with clients that disconnect without COM_QUIT. Source this file after
# lib.sh. The statements are in $T/clients and $T/server (from the clients and the server),
# $all_out, $slow_out (dbslower: all, and those of 20 ms or more) and $tool_out (mysqlqueries).
need_command python3
start_mariadb --thread-handling=pool-of-threads --thread-pool-size=2 --skip-log-bin --performance-schema \
	--performance-schema-consumer-events-statements-history-long=ON \
	--performance-schema-consumer-events-statements-current=ON --performance-schema-events-statements-history-long-size=10000
sql() { mariadb --no-defaults -S "$mariadb_socket" "$@"; }
sql -e 'create database d; create table d.t (a int primary key) engine=innodb'
run_tool dbslower mysql -p "$mariadb_pid" -m 0 --json
all_pid=$tool_pid all_out=$tool_out
run_tool dbslower mysql -p "$mariadb_pid" -m 20ms --json
slow_pid=$tool_pid slow_out=$tool_out
run_tool mysqlqueries -p "$mariadb_pid" --json --command query
python3 "$ROOT/tests/targets/scripts/mysql-clients.py" "$mariadb_socket" 24 3 'insert into d.t values (%d)' 'selec %d' \
	'select %d, sleep(0.03)' 'insert into d.t select %d + 0*sleep(0.002)' 'select %d from d.nosuch' 'select %d' >"$T/clients"
sql -N -B --raw -e "select json_object('query', sql_text, 'error', mysql_errno, 'begun_ns', timer_start div 1000,
	'end_ns', timer_end div 1000)
	from performance_schema.events_statements_history_long where event_name like 'statement/sql/%'" >"$T/server"
stop_tool INT
expect_status 0
for pid in $all_pid $slow_pid; do
	kill -INT "$pid"
	wait "$pid" || fail "status $?"
done
