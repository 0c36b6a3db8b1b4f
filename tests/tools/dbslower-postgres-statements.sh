#!/bin/bash
source "$(dirname "$0")/../lib.sh"
need_command psql pgbench

# The statements are those of log_statement, each once, in the order of each backend: simple, extended and
# prepared, failing ones, COPY in both directions, several in one message.
start_postgres -c log_statement=all -c log_line_prefix='%p|'
psql() { "$postgres_bin/psql" -qAtX -h "$postgres_dir" -U postgres "$@"; }
bench() { pgbench -h "$postgres_dir" -U postgres "$@" postgres >"$T/bench" 2>&1 || fail "$(cat "$T/bench")"; }
psql -c 'create table words (word text)'
: >"$T/postgres.log" # the server goes on behind a hole
run_tool dbslower postgres -p "$postgres_pid" -m 0 --json

psql -c 'select 1' -c 'select nosuch' -c 'select 2; select 3' >"$T/out" 2>&1 || true
printf 'a\nb\n' | psql -c 'copy words from stdin' -c 'copy words to stdout' -c 'select count(*) from words' >"$T/out"
psql -c "prepare p as select 'déjà'; execute p" >"$T/out"
echo '\set n random(1, 9)
insert into words values (:n);
select count(*) from words where word = cast(:n as text);' >"$T/sql"
for mode in simple extended prepared; do
	bench -n -M "$mode" -c 2 -t 5 -f "$T/sql"
done
bench -n -C -M extended -t 3 -f "$T/sql"
stop_tool INT
expect_status 0
python3 - "$tool_out" "$T/postgres.log" <<'END'
import collections, json, re, sys
ours, logged = collections.defaultdict(list), collections.defaultdict(list)
for row in map(json.loads, open(sys.argv[1])):
    assert row["database"] == row["user"] == "postgres", row
    ours[row["pid"]].append((row["kind"], row["query"]))
for line in open(sys.argv[2], encoding="utf-8"):
    found = re.match(r"\0*(\d+)\|LOG:  (statement|execute [^:]*): (.*)", line)
    if found:
        kind = "query" if found[2] == "statement" else "execute"
        logged[int(found[1])].append((kind, found[3]))
assert sum(map(len, logged.values())) >= 70, logged
assert ours == logged, [(ours[pid], logged[pid]) for pid in {*ours, *logged} if ours[pid] != logged[pid]]
END
