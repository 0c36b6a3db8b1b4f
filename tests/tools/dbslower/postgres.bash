# shellcheck shell=bash disable=SC2154 # postgres_dir, tool_out: lib.sh
# For tests of dbslower: compares its statements with the server's log.

postgres_logging=(-c log_statement=all -c log_line_prefix='%p|')

# Checks that dbslower shows each logged statement once, in the order of each backend: simple,
# extended and prepared, failing ones, COPY in both directions, several in one message.
compare_with_log_statement() {
	psql() { "$postgres_bin/psql" -qAtX -h "$postgres_dir" -U postgres "$@"; }
	bench() { pgbench -h "$postgres_dir" -U postgres "$@" postgres >"$T/bench" 2>&1 || fail "$(cat "$T/bench")"; }
	psql -c 'create table words (word text)'
	: >"$T/postgres.log" # the server continues to write at its old offset, after zeros
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
	clients_gone
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
}

# Checks that dbslower shows failed statements with their SQLSTATE, also if a Parse or Bind fails
# and no Execute follows, and successful statements between them.
show_errors() {
	psql() { "$postgres_bin/psql" -qAtX -h "$postgres_dir" -U postgres "$@"; }
	bench() { pgbench -h "$postgres_dir" -U postgres -n -t 1 -M extended "$@" postgres >"$T/out" 2>&1 || true; }
	run_tool dbslower postgres -p "$postgres_pid" -m 0 -w
	wide_pid=$tool_pid wide_out=$tool_out
	run_tool dbslower postgres -p "$postgres_pid" -m 0 --json
	psql -c 'select 1' -c 'select nosuch' -c "do \$\$ begin raise notice 'told' using errcode = '01007'; end \$\$" \
		-c "do \$\$ begin raise exception 'mine' using errcode = 'UE666'; end \$\$" >"$T/out" 2>&1 || true
	echo 'select 2; select no_column;' >"$T/parse.sql"
	echo 'select cast(:word as int) + 3;' >"$T/bind.sql"
	bench -f "$T/parse.sql"
	bench -D word=seven -f "$T/bind.sql"
	bench -D word=7 -f "$T/bind.sql"
	clients_gone
	stop_tool INT
	expect_status 0
	expect_count 4 '"failed":true' "$tool_out"
	expect_line '"kind":"parse","failed":true,"sqlstate":"42703","database":"postgres",.*"query":"select no_column;"' "$tool_out"
	tool_pid=$wide_pid tool_out=$wide_out
	stop_tool INT
	expect_status 0
	expect_equal "$(awk 'NR > 1 { $1 = $2 = $3 = ""; print }' "$tool_out" | sed 's/^ *//; s/postgres postgres //; s/do .*mine.*/mine/; s/do .*told.*/told/')" \
		'query ok select 1
query 42703 select nosuch
query ok told
query UE666 mine
execute ok select 2;
parse 42703 select no_column;
bind 22P02 select cast($1 as int) + 3;
execute ok select cast($1 as int) + 3;'
}

# Checks sequences of extended protocol messages that psql and pgbench never send. The commit of a
# Sync counts towards the Execute before it, or has its own line if only the commit fails. The time
# in which the server waits for the client counts towards no statement.
show_messages() {
	psql() { "$postgres_bin/psql" -qAtX -h "$postgres_dir" -U postgres "$@"; }
	send() { python3 "$ROOT/tests/targets/scripts/postgres-messages.py" "$postgres_dir/.s.PGSQL.5432" "$@"; }
	psql -c 'create table lines (line text)' -c 'create table late (id int primary key deferrable initially deferred)' \
		-c 'create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(0.05); return null; end $$' \
		-c 'create constraint trigger slow after insert on late deferrable initially deferred for each row execute function slow()'
	psql -c 'insert into late values (1)'
	run_tool dbslower postgres -p "$postgres_pid" -m 0 --json

	send 'P:insert into late values (2)' B E S >"$T/out"
	send 'P:insert into late values (1)' B E S >"$T/out"
	send 'P:insert into late values (1), (1)' B E 'P:select 1' S >"$T/out"
	send 'P:select 2' B E H wait:C pause S >"$T/took"
	send 'P:select 3' B E B E S >"$T/out"
	send B:nosuch S E:nosuch S 'P:select 4' B E D:nosuch S >"$T/out"
	send 'Q:select \xff' 'P:select \xff' S >"$T/out"
	send 'P:copy lines from stdin' B E s d:line c S >"$T/out"
	send 'Q:do $$ begin insert into late values (3); rollback; end $$' 'P:select 5' B E >"$T/out"
	send 'P:select pg_sleep(1000)' B E S >"$T/out" 2>&1 &
	wait_for "[ -n \"\$(psql -c \"select 1 from pg_stat_activity where query = 'select pg_sleep(1000)' and state = 'active'\")\" ]" 30
	psql -c "select pg_terminate_backend(pid) from pg_stat_activity where query = 'select pg_sleep(1000)'" >"$T/out"
	wait $! || true
	clients_gone
	stop_tool INT
	expect_status 0
	python3 - "$tool_out" "$(cat "$T/took")" <<'END'
import json, sys
rows = [row for row in map(json.loads, open(sys.argv[1])) if "pg_stat_activity" not in row.get("query", "")]
def shown(row):
    return row["kind"], row.get("sqlstate", "ok"), row.get("query") or row["unknown"]
wanted = [
    ("execute", "ok", "insert into late values (2)"),
    ("execute", "23505", "insert into late values (1)"),
    ("execute", "ok", "insert into late values (1), (1)"),
    ("sync", "23505", "select 1"),
    ("execute", "ok", "select 2"),
    ("execute", "ok", "select 3"),
    ("execute", "ok", "select 3"),
    ("bind", "26000", "no such prepared statement"),
    ("execute", "34000", "no such portal"),
    ("execute", "ok", "select 4"),
    ("query", "22021", "its bytes are not in the client's encoding"),
    ("parse", "22021", "its bytes are not in the client's encoding"),
    ("execute", "ok", "copy lines from stdin"),
    ("query", "ok", "do $$ begin insert into late values (3); rollback; end $$"),
    ("execute", "ok", "select 5"),
    ("execute", "57P01", "select pg_sleep(1000)"),
]
assert [shown(row) for row in rows] == wanted, "\n".join(map(str, map(shown, rows)))
assert rows[0]["latency_ns"] >= 50e6, rows[0]
assert rows[4]["latency_ns"] <= float(sys.argv[2]) * 1e6, rows[4]
END
}
