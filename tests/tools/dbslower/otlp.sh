#!/bin/bash
# ring: first
# shares: postgres
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/otlp/otlp.bash"
need_command jq

# Statements of PostgreSQL, also with --digest.
start_postgres
start_collector
psql() { "$postgres_bin/psql" -qAtX -h "$postgres_dir" -U postgres "$@"; }
run_tool dbslower postgres -p "$postgres_pid" -m 0 --digest --json --otlp "$collector"
psql -c "select 'of-a-user' from pg_am limit 1" -c 'select nosuch' >"$T/out" 2>&1 || true
wait_for "[ -e '$collected/0.bin' ]" 20
stop_tool INT
expect_status 0
collected_spans >"$T/spans"
fields='[.name, .kind, .status, (.attributes | .["db.system.name"], .["db.namespace"], .["db.query.text"], .["db.response.status_code"])]'
expect_equal "$(jq -c "$fields" "$T/spans")" \
	'["SELECT pg_am",2,0,"postgresql","postgres","select ? from pg_am limit ?",null]
["SELECT",2,2,"postgresql","postgres","select nosuch","42703"]'
expect_equal "$(wc -l <"$T/spans")" "$(jq -s 'map(.count) | add' "$tool_out")"
