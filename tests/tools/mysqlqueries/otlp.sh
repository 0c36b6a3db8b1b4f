#!/bin/bash
# ring: first
# shares: mariadb
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/otlp/otlp.bash"
need_command jq

# Statements are exported without their values, or with --show-values; as children of the span that
# a comment names.
start_mariadb
start_collector
query() { mariadb --no-defaults -c -f -S "$mariadb_socket" -e "$1" >"$T/out" 2>&1 || true; }
query 'create database shop; create table shop.orders (a int, b varchar(99))'
run_tool mysqlqueries -p "$mariadb_pid" --json --trace-id --command query --otlp "$collector"
plain_pid=$tool_pid plain_out=$tool_out
run_tool mysqlqueries -p "$mariadb_pid" --json --command query --show-values --otlp "$T/values.json"
parent=00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
query "use shop; insert into orders values (17, 'of-a-user'); select a from orders where b = 'of-a-user' /*traceparent='$parent'*/; select nosuch"
wait_for "grep -q nosuch '$tool_out' && grep -q nosuch '$plain_out'" 20
for tool_pid in "$plain_pid" "$tool_pid"; do
	stop_tool INT
	expect_status 0
done
collected_spans >"$T/spans"
expect_no_line of-a-user "$T/spans"
fields='[.name, .kind, .status, (.attributes | .["db.system.name"], .["db.namespace"], .["db.query.text"], .["db.query.summary"], .["db.operation.name"], .["error.type"])]'
ours='select(.name | test("orders|SELECT$"))'
expect_equal "$(jq -c "$ours | $fields" "$T/spans" | grep -v -e version_comment -e "select database")" \
	'["INSERT orders",2,0,"mariadb","shop","insert into orders values (?+)","INSERT orders","INSERT",null]
["SELECT orders",2,0,"mariadb","shop","select a from orders where b = ?","SELECT orders","SELECT",null]
["SELECT",2,2,"mariadb","shop","select nosuch","SELECT","SELECT","1054"]'
expect_equal "$(jq -r 'select(.parent != "") | .name, .trace, .parent' "$T/spans")" \
	$'SELECT orders\n4bf92f3577b34da6a3ce929d0e0e4736\n00f067aa0ba902b7'
/usr/bin/python3 "$ROOT/tests/otlp/decode" "$T/values.json" >"$T/values"
expect_equal "$(jq -r 'select(.name == "INSERT orders") | .attributes["db.query.text"]' "$T/values")" \
	"insert into orders values (17, 'of-a-user')"
expect_equal "$(wc -l <"$T/spans")" "$(grep -c '^{"time_ns"' "$plain_out")"
expect_equal "$(jq -r '"\(.start) \(.took)"' "$T/spans" | sort)" \
	"$(sed -E 's/^\{"time_ns":([0-9]+),.*"latency_ns":([0-9]+),.*/\1 \2/' "$plain_out" | sort)"
expect_equal "$(jq -r 'select(.trace_id) | .trace_id + " " + .query' "$plain_out")" \
	"4bf92f3577b34da6a3ce929d0e0e4736 select a from orders where b = 'of-a-user' /*traceparent='$parent'*/"
