#!/bin/bash
# ring: first
# shares: postgres
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# How long statements execute, by the beginning of their text (QueryDesc::sourceText). The functions
# are exported by a stripped server, and its backends start later than the tool.
start_postgres
psql() { "$postgres_bin/psql" -qAtX -h "$postgres_dir" -U postgres "$@"; }
psql -c 'create table words (number int)'
for i in 1 2 3 4 5 6 7; do echo "insert into words values ($i);"; done >"$T/sql"
for i in 1 2 3; do echo "select number from words where number = $i;"; done >>"$T/sql"
echo 'update words set number = number + 1;' >>"$T/sql"
run_tool argdist -i 1000 --json \
	-H "r:$postgres_bin/postgres:standard_ExecutorRun(void *query):char*,u64:\$entry(str(*(char **)(query + 16), 6)),\$latency" \
	-C "u:$postgres_bin/postgres:query__start():char*:str(arg1, 6)"
psql -f "$T/sql" >"$T/out"
clients_gone
stop_tool INT
expect_status 0
python3 - "$tool_out" <<'END'
import json, sys
def text(value):
    return value["text"] if isinstance(value, dict) else value
counts, latencies = {}, {}
for row in map(json.loads, open(sys.argv[1])):
    (key, value), = row["key"].items()
    if "histogram" not in row:
        counts[text(value)] = row["count"]
        continue
    latencies[text(value)] = row["count"]
    assert sum(b["count"] for b in row["histogram"]["buckets"]) == row["count"], row
    assert row["histogram"]["sum"] > 0, row
assert counts == latencies == {"insert": 7, "select": 3, "update": 1}, (counts, latencies)
END
