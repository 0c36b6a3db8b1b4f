#!/bin/bash
# alone: its times have to agree with the server's to 0.3 ms
source "$(dirname "$0")/../lib.sh"

# MariaDB's pool of threads, with clients that leave without a word: each statement has the error that its own client was
# sent, and the time that the server's performance_schema has measured; the tools agree.
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
python3 - "$T/clients" "$all_out" "$tool_out" "$slow_out" "$T/server" <<'END'
import json, sys
def read(path):
    rows = [json.loads(line) for line in open(path)]
    assert not any("lost" in row.get("type", "") for row in rows), rows[-1]
    return {row["query"]: row for row in rows if "query" in row}
clients, ours, queries, slow, server = map(read, sys.argv[1:])
ms = 1e6
assert len(clients) == 24 * 3 * 6
for text, row in clients.items():
    assert ours[text]["error"] == queries[text]["error"] == row["error"], (row, ours[text], queries[text])
    assert ours[text]["latency_ns"] >= (30 * ms if "sleep(0.03)" in text else 2 * ms if "sleep" in text else 0), ours[text]
assert server.keys() >= clients.keys(), clients.keys() - server.keys()

# A statement begins for the server when it has read the packet's head, then for us; it ends for the server, then for us, and
# only then the connection's next one begins for the server. However long a busy machine has threads wait in between, this
# order holds, by a clock that is some constant away from ours.
connections = {}
for text in clients:
    connections.setdefault(ours[text]["connection"], []).append(server[text])
assert len(connections) == 24 * 3
following = {}
for statements in connections.values():
    statements.sort(key=lambda row: row["begun_ns"])
    following |= {row["query"]: after for row, after in zip(statements, statements[1:])}
def is_in_order(rows):  # our clock is ahead by so much at most and at least
    begins = {text: row["time_ns"] - server[text]["begun_ns"] for text, row in rows.items()}
    ends = {text: row["time_ns"] + row["latency_ns"] - server[text]["end_ns"] for text, row in rows.items()}
    nexts = {text: row["time_ns"] + row["latency_ns"] - following[text]["begun_ns"] for text, row in rows.items() if text in following}
    first = lambda ahead: min(ahead.items(), key=lambda item: item[1])
    most, least = min(first(begins)[1], first(ends)[1]), max(nexts.values())
    assert least <= most + 0.2 * ms, (first(begins), first(ends), max(nexts.items(), key=lambda item: item[1]))
for rows in ours, queries, slow:
    is_in_order({text: row for text, row in rows.items() if text in clients})
differences = sorted(abs(ours[text]["latency_ns"] - (server[text]["end_ns"] - server[text]["begun_ns"])) for text in clients)
assert differences[len(differences) // 2] < 0.3 * ms, differences
assert all(row["latency_ns"] >= 20 * ms for row in slow.values())
for text in clients:
    assert text in slow or min(ours[text]["latency_ns"], queries[text]["latency_ns"]) < 21 * ms, (ours[text], queries[text])
END
