#!/bin/bash
# ring: first
# shares: mysql
source "$(dirname "$0")/../../lib.sh"

# The queries equal those of the general log, each once; also long and binary texts.
start_mariadb --general-log=1 --general-log-file=queries
sql() { mariadb --no-defaults -S "$mariadb_socket" "$@"; }
run_tool dbslower mysql -p "$mariadb_pid" -m 0 -Z 100 --json
json_pid=$tool_pid json_out=$tool_out
run_tool dbstat mysql -p "$mariadb_pid" -u --json
stat_pid=$tool_pid stat_out=$tool_out
sql --force >"$T/out" 2>&1 <<END || true
create table test.t (x text);
insert into test.t values ('$(printf '%0200d' 7)');
select nosuch;
END
for i in 1 2 3 4; do
	echo "select $i; select 'é', $i;"
done | sql >"$T/out"
clients_gone
tool_pid=$json_pid tool_out=$json_out
stop_tool INT
expect_status 0
tool_pid=$stat_pid tool_out=$stat_out
stop_tool INT
expect_status 0
python3 - "$json_out" "$T/mariadb/data/queries" "$stat_out" <<'END'
import json, re, sys
ours = []
for row in map(json.loads, open(sys.argv[1])):
    assert row["kind"] == "query" and "database" not in row, row
    assert row.get("truncated", False) == (row["length"] > 100), row
    ours.append(row["query"])
logged = re.findall(r"Query\t(.*)", open(sys.argv[2], encoding="utf-8").read())
start = len(logged) - len(ours)  # start_mariadb made some before the tool started
assert len(ours) == 11 and ours == [text.encode()[:100].decode() for text in logged[start:]], (ours, logged)
assert sum(json.loads(line)["histogram"]["count"] for line in open(sys.argv[3])) == len(ours)
END
