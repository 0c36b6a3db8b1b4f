#!/bin/bash
# alone: none of 300 statements may take 50 ms
source "$(dirname "$0")/../../lib.sh"
need_command psql pgbench

# Counts all statements of all clients once, by database and user, with the commit of their Sync;
# prints BCC's text.
start_postgres
psql() { "$postgres_bin/psql" -qAtX -h "$postgres_dir" -U postgres "$@"; }
psql -c 'create role app login' -c 'create database shop' -c 'create database late'
psql -d late -c 'create table late ()' \
	-c 'create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(0.1); return null; end $$' \
	-c 'create constraint trigger slow after insert on late deferrable initially deferred for each row execute function slow()'
run_tool dbstat postgres -p "$postgres_pid" -u --by-database --by-user --json
json_pid=$tool_pid json_out=$tool_out
run_tool dbstat postgres -p "$postgres_pid" -m 50 --percentiles
text_pid=$tool_pid text_out=$tool_out text_err=$tool_err
echo 'select 1;' >"$T/sql"
for mode in simple extended prepared; do
	pgbench -h "$postgres_dir" -U app -n -M "$mode" -c 2 -t 50 -f "$T/sql" shop >"$T/out" 2>&1
done
echo 'insert into late default values;' >"$T/sql"
pgbench -h "$postgres_dir" -U postgres -n -M extended -t 1 -f "$T/sql" late >"$T/out" 2>&1
psql -c 'select nosuch' -c 'select pg_sleep(0.1)' >"$T/out" 2>&1
clients_gone
tool_pid=$json_pid tool_out=$json_out
stop_tool INT
expect_status 0
python3 - "$tool_out" <<'END'
import json, sys
counts = {}
for row in map(json.loads, open(sys.argv[1])):
    histogram = row["histogram"]
    assert histogram["unit"] == "us", row
    assert sum(bucket["count"] for bucket in histogram["buckets"]) == histogram["count"]
    counts[row["database"], row["user"]] = histogram["count"]
assert counts[("postgres", "postgres")] == 2, counts
assert counts[("shop", "app")] == 300, counts
assert counts[("late", "postgres")] == 1, counts
END
tool_pid=$text_pid tool_out=$text_out tool_err=$text_err
stop_tool TERM
expect_status 0
expect_line "^Tracing database queries for pids $postgres_pid slower than 50 ms … Press Ctrl-C to end\.\$" "$tool_announced"
expect_line '^\[[0-9]{2}:[0-9]{2}:[0-9]{2}\]$' "$tool_out"
expect_line '^     query latency \(ms\)  : count     distribution$' "$tool_out"
expect_equal "$(awk '/->/ { count += $5 } END { print count }' "$tool_out")" 2
expect_line '^p50 1[0-9]{2}ms' "$tool_out"
