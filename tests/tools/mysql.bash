# shellcheck shell=bash disable=SC2154 # mariadb_socket, tool_out: lib.sh
# For tests of tools that show statements: the server's own general log, and a client that can do more.

need_mysql_client() {
	local why
	why=$("$TARGETS/mysql-client") || skip "$why"
}

client() { "$TARGETS/mysql-client" "$mariadb_socket" "$@"; }

# Has the server log every command into a table from now on.
start_general_log() {
	mariadb --no-defaults -S "$mariadb_socket" -e "set global log_output = 'TABLE'; truncate mysql.general_log; set global general_log = 1"
}

# CONNECTION COMMAND HEX, a line each, sorted. What asks for it is not in it.
general_log() {
	mariadb --no-defaults -S "$mariadb_socket" -N -B -e "set global general_log = 0; select concat(thread_id, ' ', command_type, ' ', hex(argument)) from mysql.general_log where command_type <> 'Connect' and argument not like 'set global general_log%'" | sort
}

# The same of what `mysqlqueries --json` has written.
statements_of() { # FILE
	python3 - "$1" <<'END' | sort
import json, sys
for line in open(sys.argv[1]):
    row = json.loads(line)
    text = row.get("query", "").encode(errors="surrogateescape")
    if row.get("type") == "lost":
        print(line)
    elif not text.startswith(b"set global general_log") and b"from mysql.general_log" not in text:
        print(row["connection"], row["command"], text.hex().upper())
END
}
