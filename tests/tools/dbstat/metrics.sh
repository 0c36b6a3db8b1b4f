#!/bin/bash
# ring: first
# shares: postgres
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/otlp/otlp.bash"
need_command psql curl

# Histograms by database and user have the statements of the rows; a scrape gets those until then.
samples() { /usr/bin/python3 "$ROOT/tests/otlp/samples" "$@"; }
start_postgres
psql() { "$postgres_bin/psql" -qAtX -h "$postgres_dir" -U postgres "$@"; }
psql -c 'create role app login' -c 'create database shop'
port=$(free_port)
run_tool dbstat postgres -p "$postgres_pid" -u --by-database --by-user --json --prometheus "127.0.0.1:$port"
psql -c 'select 1' -c 'select 2' >"$T/out"
psql -U app -d shop -c 'select pg_sleep(0.02)' >"$T/out"
clients_gone
curl -s --max-time 10 "http://127.0.0.1:$port/metrics" >"$T/scraped"
stop_tool INT
expect_status 0
expect_equal "$(samples uscope_statement_duration_seconds "$T/scraped" "$tool_out" database=db_namespace user=user)" 2
labels='db_namespace="shop",user="app"'
expect_line "^uscope_statement_duration_seconds_bucket\{$labels,le=\"0.016383999\"\} 0\$" "$T/scraped"
expect_line "^uscope_statement_duration_seconds_count\{$labels\} 1\$" "$T/scraped"
