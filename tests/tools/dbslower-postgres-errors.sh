#!/bin/bash
source "$(dirname "$0")/../lib.sh"
need_command psql pgbench

# What fails is shown with its SQLSTATE, also in a Parse or Bind, where no Execute follows; with it what has not failed in
# between.
start_postgres
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
stop_tool INT
expect_status 0
expect_count 4 '"failed":true' "$tool_out"
expect_line '"kind":"parse","query":"select no_column;","failed":true,"sqlstate":"42703","database":"postgres"' "$tool_out"
tool_pid=$wide_pid tool_out=$wide_out
stop_tool INT
expect_status 0
expect_equal "$(awk 'NR > 2 { $1 = $2 = $3 = ""; print }' "$tool_out" | sed 's/^ *//; s/postgres postgres //; s/do .*mine.*/mine/; s/do .*told.*/told/')" \
	'query ok select 1
query 42703 select nosuch
query ok told
query UE666 mine
execute ok select 2;
parse 42703 select no_column;
bind 22P02 select cast($1 as int) + 3;
execute ok select cast($1 as int) + 3;'
