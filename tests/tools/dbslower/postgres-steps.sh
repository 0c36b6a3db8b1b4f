#!/bin/bash
# shares: postgres
source "$(dirname "$0")/../../lib.sh"
need_command pgbench

# --steps shows Parse, Bind, Execute and Sync separately. Each takes at least as long as in the
# server's log, except Sync, which the server does not log.
start_postgres -c log_duration=on -c log_line_prefix='%p|'
echo 'select pg_sleep(0.01);' >"$T/sql"
run_tool dbslower postgres -p "$postgres_pid" -m 0 --steps --json
pgbench -h "$postgres_dir" -U postgres -n -M prepared -t 2 -f "$T/sql" postgres >"$T/out" 2>&1
clients_gone
stop_tool INT
expect_status 0
python3 - "$tool_out" "$T/postgres.log" <<'END'
import json, re, sys
rows = [row for row in map(json.loads, open(sys.argv[1])) if "pg_sleep" in row["query"]]
kinds = [row["kind"] for row in rows]
assert kinds == ["parse", "sync", "bind", "execute", "sync", "bind", "execute", "sync"], kinds
text = open(sys.argv[2], encoding="utf-8").read()
logged = [float(ms) for ms in re.findall(rf"^{rows[0]['pid']}\|LOG:  duration: ([0-9.]+) ms", text, re.M)]
assert len(logged) == 5 and logged[2] >= 10, logged
for row, ms in zip((row for row in rows if row["kind"] != "sync"), logged):
    assert ms - 0.002 <= row["latency_ns"] / 1e6, (row, ms)  # the server logs whole microseconds
END
