#!/bin/bash
# ring: first
# shares: mysql
source "$(dirname "$0")/../../lib.sh"
need_command jq

# --nested shows the statements of stored procedures and functions, those of inner ones before the
# statement that called them, with the user.
start_mariadb
cat >"$T/sql" <<'END'
create database d;
use d;
create table t (a int);
delimiter //
create procedure inner_one(n int) begin insert into t values (n); end//
create procedure outer_one() begin declare x int default 3; set x = x + 1; call inner_one(x); select count(*) from t; end//
create procedure fails(n int) begin declare exit handler for 1146 select 'handled'; insert into t values (n); insert into nosuch values (n); end//
create procedure fails_outside() begin set @x = 1; insert into t select nosuch from t; select 2; end//
create procedure calls_it() begin call fails_outside(); end//
create function f() returns int begin declare r int; select count(*) into r from t; return r; end//
END
mariadb --no-defaults -S "$mariadb_socket" <"$T/sql"
run_tool mysqlqueries -p "$mariadb_pid" --nested -u --command query
mariadb --no-defaults -S "$mariadb_socket" d -e "call outer_one(); select f()" >"$T/out"
clients_gone
stop_tool INT
expect_status 0
expect_equal "$(awk 'NR > 1 { $1 = $2 = $3 = $4 = $6 = ""; print }' "$tool_out" | tr -s ' ')" " root ok Nested insert into t values (n)
 root ok Nested call inner_one(x)
 root ok Nested select count(*) from t
 root ok Query call outer_one()
 root ok Nested select count(*) into r from t
 root ok Query select f()"

# Failed statements are shown as the client has seen them, whether or not it receives the error; the
# statements after them are not executed.
run_tool mysqlqueries -p "$mariadb_pid" --nested --command query
text_pid=$tool_pid text_out=$tool_out
run_tool mysqlqueries -p "$mariadb_pid" --nested --command query --json
mariadb --no-defaults -f -S "$mariadb_socket" d -e "call fails(7); call calls_it()" >"$T/out" 2>"$T/errors" || true
expect_line 'ERROR 1054 \(42S22\)' "$T/errors"
expect_count 1 ERROR "$T/errors"
clients_gone
stop_tool INT
expect_status 0
expect_equal "$(jq -r '"\(.error // "-") \(.sqlstate // "-") \(.query)"' "$tool_out")" "0 - insert into t values (n)
1146 42S02 insert into nosuch values (n)
0 - select 'handled'
0 - call fails(7)
0 - SET @x = 1
1054 42S22 insert into t select nosuch from t
1054 42S22 call fails_outside()
1054 42S22 call calls_it()"
tool_pid=$text_pid tool_out=$text_out
stop_tool INT
expect_equal "$(grep -c ' 1054 ' "$tool_out")" 3
