#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# MariaDB's pool of threads, with clients that leave without a word: each statement has the error that its own client was
# sent, and the time that the client and the server's performance_schema have measured; the tools agree.
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
sql -N -B --raw -e "select json_object('query', sql_text, 'error', mysql_errno, 'took_ns', timer_wait div 1000)
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
def wrong(pairs, is_right):
    pairs = list(pairs)
    return [pair for pair in pairs if not is_right(*pair)], len(pairs)
def few(found, share=0.05):  # a busy machine delays somebody between the end and the clock
    bad, of = found
    assert of > 100 and len(bad) <= of * share, (len(bad), of, bad[:5])
ms = 1e6
assert len(clients) == 24 * 3 * 6
for text, row in clients.items():
    assert ours[text]["error"] == queries[text]["error"] == row["error"], (row, ours[text], queries[text])
    assert ours[text]["latency_ns"] >= (30 * ms if "sleep(0.03)" in text else 2 * ms if "sleep" in text else 0), ours[text]
few(wrong(((ours[text], row) for text, row in clients.items()), lambda a, b: a["latency_ns"] <= b["took_ns"] + 5 * ms))
few(wrong(((ours[text], queries[text]) for text in clients), lambda a, b: abs(a["latency_ns"] - b["latency_ns"]) < 1 * ms))
known = [(ours[text], row) for text, row in server.items() if text in clients]
few(wrong(known, lambda a, b: abs(a["latency_ns"] - b["took_ns"]) < 1 * ms))
few(wrong(((text, ours[text]) for text in clients),
          lambda text, row: (text in slow) == (row["latency_ns"] >= 20 * ms) or abs(row["latency_ns"] - 20 * ms) < 1 * ms), 0.01)
END
