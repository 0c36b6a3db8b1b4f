#!/bin/bash
# shares: mysql
source "$(dirname "$0")/../../lib.sh"

# With a thread pool, another thread may end a statement than the one that began it, which serves
# other statements meanwhile. The texts of the statements say how long each takes at least.
need_command python3
start_mariadb --thread-handling=pool-of-threads --thread-pool-size=2
statements=''
for ms in 2 40 1 30 3 50; do
	statements+="select sleep(0.$(printf %03d "$ms")), 'CLIENT'; insert into t.t values ($ms); "
done
mariadb --no-defaults -S "$mariadb_socket" -e 'create database t; create table t.t (ms int)'
run_tool dbslower mysql -p "$mariadb_pid" -m 0 --json
clients=()
for client in {1..24}; do
	mariadb --no-defaults -S "$mariadb_socket" -N -B -e "${statements//CLIENT/client $client}" >"$T/out.$client" &
	clients+=($!)
done
wait "${clients[@]}"
clients_gone
stop_tool INT
expect_status 0
python3 - "$tool_out" <<'END'
import json, re, sys
from collections import Counter
rows = [json.loads(line) for line in open(sys.argv[1])]
assert not any("lost" in row.get("type", "") for row in rows), rows[-1]
seen = Counter()
for row in rows:
    sleeps = re.match(r"select sleep\(0\.(\d+)\), 'client (\d+)'$", row["query"])
    if sleeps:
        seen[int(sleeps[2]), int(sleeps[1])] += 1
        assert row["latency_ns"] >= int(sleeps[1]) * 1e6, row
assert seen == Counter({(client, ms): 1 for client in range(1, 25) for ms in (1, 2, 3, 30, 40, 50)}), seen
inserts = Counter(row["query"] for row in rows if row["query"].startswith("insert into t.t"))
assert inserts == Counter({f"insert into t.t values ({ms})": 24 for ms in (1, 2, 3, 30, 40, 50)}), inserts
END
