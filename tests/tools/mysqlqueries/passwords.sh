#!/bin/bash
# ring: first
# shares: mysql
source "$(dirname "$0")/../../lib.sh"

# No line, object or digest has a password, unless an option asks for it. The other statements can
# be executed as they are shown.
start_mariadb
cat >"$T/sql" <<'END'
create user carol@localhost identified by 'hush-1' comment_is_no_option;
create user carol@localhost identified by 'hush-1';
alter user carol@localhost identified by "hush\"2";
set password for carol@localhost = password('hush-3');
grant all on *.* to dave@localhost identified by 'hush-4' with grant option;
change master to master_host='nowhere', master_user='u', master_password='hush-5';
prepare p from 'create user erin identified by ''hush-6''';
set global wsrep_sst_auth = 'user:hush-7';
set @s = concat('create user frank@localhost identified by ', quote('hush-8'));
prepare p from @s;
execute p;
select 'O\'Brien', '
', 'a\tb';
END
sql() { mariadb --no-defaults -S "$mariadb_socket" --force >"$T/out" 2>&1 <"$T/sql"; }

run_tool mysqlqueries -p "$mariadb_pid" --json
json_pid=$tool_pid json_out=$tool_out
run_tool mysqlqueries -p "$mariadb_pid" --digest
digest_pid=$tool_pid digest_out=$tool_out
run_tool dbslower mysql -p "$mariadb_pid" -m 0
slow_pid=$tool_pid slow_out=$tool_out
run_tool mysqlqueries -p "$mariadb_pid" --show-secrets --command query
open_pid=$tool_pid open_out=$tool_out
run_tool mysqlqueries -p "$mariadb_pid" --command query
sql
clients_gone
stop_tool INT
expect_status 0
for pid in $json_pid $digest_pid $slow_pid $open_pid; do
	kill -INT "$pid"
	wait "$pid" || fail "status $?"
done
expect_count 9 'hush' "$open_out"
for out in "$tool_out" "$json_out" "$slow_out" "$digest_out"; do
	expect_no_line 'hush' "$out"
done
expect_line "alter user carol@localhost identified by '<secret>'$" "$tool_out"
expect_line "grant all on \*\.\* to dave@localhost identified by '<secret>' with grant option$" "$tool_out"
expect_line "set @s = concat\('create user frank@localhost identified by ', quote\('<secret>'\)\)$" "$tool_out"
expect_line "\"query\":\"set password for carol@localhost = password\('<secret>'\)\",\"length\":53,\"masked\":true\}" "$json_out"
expect_line "set password for carol@localhost = password\(\?\)$|set password for carol @localhost" "$digest_out"

statement=$(sed -n 's/.*Query    \(.*Brien.*\)/\1/p' "$tool_out")
expect_equal "$statement" "select 'O\\'Brien', '\\n', 'a\\tb'"
expect_equal "$(mariadb --no-defaults -S "$mariadb_socket" -N -B -e "$statement")" \
	"$(mariadb --no-defaults -S "$mariadb_socket" -N -B -e "select 'O\\'Brien', '
', 'a\\tb'")"
