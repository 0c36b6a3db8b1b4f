#!/bin/bash
# alone: its times have to agree with the server's to 5 ms
source "$(dirname "$0")/../../lib.sh"

# Latencies agree with the server's slow log. The server measures the statement, the tool the whole
# command, so the log's times are never longer. (tests/measured/mysqlqueries-latency checks that
# they are not much shorter.)
need_command python3
start_mariadb --slow-query-log --long-query-time=0 --log-output=TABLE
run_tool mysqlqueries -p "$mariadb_pid" --json --command query
for i in 1 2 3 4 5 6 7 8 9 10; do echo "select sleep(0.0$i), $i;"; done >"$T/sql"
mariadb --no-defaults -S "$mariadb_socket" <"$T/sql" >"$T/out"
mariadb --no-defaults -S "$mariadb_socket" -N -B -e \
	"select time_to_sec(query_time) * 1000000, sql_text from mysql.slow_log where sql_text like 'select sleep%'" >"$T/slow"
clients_gone
stop_tool INT
expect_status 0
python3 - "$tool_out" "$T/slow" <<'END'
import json, sys
shown = {row["query"]: row["latency_ns"] / 1000 for row in map(json.loads, open(sys.argv[1]))}
logged = [line.rstrip("\n").split("\t") for line in open(sys.argv[2])]
assert len(logged) == 10, logged
more = sorted(shown[text] - float(us) for us, text in logged)
assert more[0] >= -1, more
END
