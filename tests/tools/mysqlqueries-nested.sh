#!/bin/bash
# ring: first
# shares: mysql
source "$(dirname "$0")/../lib.sh"

# --nested: the statements of stored procedures and functions, those of inner ones before the statement that called
# them; and the user.
start_mariadb
cat >"$T/sql" <<'END'
create database d;
use d;
create table t (a int);
delimiter //
create procedure inner_one(n int) begin insert into t values (n); end//
create procedure outer_one() begin declare x int default 3; set x = x + 1; call inner_one(x); select count(*) from t; end//
create function f() returns int begin declare r int; select count(*) into r from t; return r; end//
END
mariadb --no-defaults -S "$mariadb_socket" <"$T/sql"
run_tool mysqlqueries -p "$mariadb_pid" --nested -u --command query
mariadb --no-defaults -S "$mariadb_socket" d -e "call outer_one(); select f()" >"$T/out"
clients_gone
stop_tool INT
expect_status 0
expect_equal "$(awk 'NR > 1 { $1 = $2 = $3 = $4 = $6 = $7 = ""; print }' "$tool_out" | tr -s ' ')" " root - Nested insert into t values (n)
 root - Nested call inner_one(x)
 root - Nested select count(*) from t
 root ok Query call outer_one()
 root - Nested select count(*) into r from t
 root ok Query select f()"
