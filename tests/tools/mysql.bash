# shellcheck shell=bash disable=SC2154 # mariadb_socket, tool_out: lib.sh
# For tests of tools that show statements: compares them with the server's general log, and has a
# client for protocol features that mariadb does not use.

need_mysql_client() {
	local why status=0
	why=$("$TARGETS/mysql-client") || status=$?
	[ "$status" -ne 77 ] || skip "$why"
	[ "$status" -eq 0 ] || fail "mysql-client ended with status $status: $why"
}

client() { "$TARGETS/mysql-client" "$mariadb_socket" "$@"; }

# Makes the server log every command to a table.
start_general_log() {
	mariadb --no-defaults -S "$mariadb_socket" -e "set global log_output = 'TABLE'; truncate mysql.general_log; set global general_log = 1"
}

# Prints the log as sorted lines of CONNECTION COMMAND HEX, without the statements of this helper.
general_log() {
	mariadb --no-defaults -S "$mariadb_socket" -N -B -e "set global general_log = 0; select concat(thread_id, ' ', command_type, ' ', hex(argument)) from mysql.general_log where command_type <> 'Connect' and argument not like 'set global general_log%'" | sort
}

# Prints such lines for the output of `mysqlqueries --json`.
statements_of() { # FILE
	PYTHONPATH=$ROOT/tests/tools python3 -B - "$1" <<'END' | sort
import json, sys
from tool_json import bytes_of
for line in open(sys.argv[1]):
    row = json.loads(line)
    text = bytes_of(row.get("query", ""))
    if row.get("type") == "lost":
        print(line)
    elif not text.startswith(b"set global general_log") and b"from mysql.general_log" not in text:
        print(row["connection"], row["command"], text.hex().upper())
END
}

# Checks that mysqlqueries shows exactly the statements in the server's general log.
compare_with_general_log() {
	start_general_log
	run_tool mysqlqueries -p "$mariadb_pid" --json
	client query "select 'it''s'" query 'selec 1' query 'create database d' \
		query 'create table d.t (a int primary key)' query 'insert into d.t values (1), (2)' \
		query $'select a -- comment\nfrom\td.t' load 8x500
	mariadb --no-defaults -S "$mariadb_socket" d -e "select 1; begin; insert into t values (3); commit; select count(*) from t" >"$T/out"
	general_log >"$T/log"
	clients_gone
	stop_tool INT
	expect_status 0
	statements_of "$tool_out" | grep -v ' Quit ' >"$T/shown"
	grep -v ' Quit ' "$T/log" >"$T/logged"
	[ "$(wc -l <"$T/logged")" -ge 4010 ] || fail "the log has only $(wc -l <"$T/logged") lines"
	diff "$T/logged" "$T/shown" >"$T/diff" || fail "$(head -n 20 "$T/diff")"
	expect_count 0 . "$tool_err"
}

# Checks that dbslower shows the text of a prepared statement for its executions, error numbers,
# users and databases, and that dbstat counts statements by user and database.
show_prepared_statements() {
	mariadb --no-defaults -S "$mariadb_socket" -e "create database shop; create user app; grant all on *.* to app"
	mkfifo "$T/go"
	exec 8<>"$T/go"
	stdin=$T/go start_target_and_wait "$TARGETS/mysql-client" "$mariadb_socket" prepare 'select ? + 100' wait 0 execute 1 \
		prepare 'select ? * 2' execute 3 prepare 'selec'
	run_tool dbslower mysql -p "$mariadb_pid" -m 0 -w
	slow_pid=$tool_pid slow_out=$tool_out
	run_tool dbstat mysql -p "$mariadb_pid" -u --by-user --by-database --json
	echo >&8
	wait_for "! alive $target_pid" 20
	mariadb --no-defaults -S "$mariadb_socket" -u app shop -e 'select 1; select nosuch' >"$T/out" 2>&1 || true
	clients_gone
	stop_tool INT
	expect_status 0
	expect_equal "$(sed -E 's/.*"database":("[a-z]*"|null),"user":"([a-z]*)".*"count":([0-9]+),"sum".*/\1 \2 \3/' "$tool_out" | sort)" \
		$'"shop" app 2\nnull root 4'
	tool_pid=$slow_pid tool_out=$slow_out
	stop_tool INT
	expect_status 0
	expect_equal "$(awk 'NR > 1 { $1 = $2 = $3 = ""; print }' "$tool_out" | sed 's/^ *//')" \
		'execute ok - root #1 [prepared before tracing began]
execute ok - root select ? * 2
execute ok - root select ? * 2
execute ok - root select ? * 2
prepare 1064 - root selec
query ok shop app select 1
query 1054 shop app select nosuch'
}
