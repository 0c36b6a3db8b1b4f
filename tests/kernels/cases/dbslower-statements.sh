# shellcheck shell=sh
. /kernels/lib.sh

# Statements with their texts, by functions of a server and by its probes; fixtures stand in for PostgreSQL and MySQL.
statements() { awk 'NR > 1 { $1 = $2 = $3 = ""; print }' "$tool_out" | tr -s ' ' | sed 's/^ //'; }
# On arm64, dbslower cannot find where a server reports that a statement failed.
ok=ok failed='
parse failed shop app select $1' rows=4
[ "$(uname -m)" = x86_64 ] || ok=- failed='' rows=3
start_target /targets/postgres
run_tool dbslower postgres -p "$target_pid" -m 0 -w -M "$rows"
echo >&8
stop_tool
expect_equal "$(statements)" "query $ok shop app select 1
execute $ok shop app select \$1
query $ok shop app select 1$failed"
run_tool dbslower postgres -p "$target_pid" -m 0 --usdt -M 2
echo >&8
stop_tool
expect_equal "$(statements)" 'select 1
select 1'
start_target /targets/mysql_com_data 'select 1' "select 'two'"
run_tool dbslower mysql -p "$target_pid" -m 0
echo >&8
stop_tool # it ends with the process
expect_equal "$(statements)" "select 1
select 'two'"
