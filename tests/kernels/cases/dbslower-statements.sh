# shellcheck shell=sh
. /kernels/lib.sh

# Statements with their texts, by functions of a server and by its probes; fixtures stand in for PostgreSQL and MySQL.
statements() { awk 'NR > 2 { $1 = $2 = $3 = ""; print }' "$tool_out" | tr -s ' ' | sed 's/^ //'; }
start_target /targets/postgres
run_tool dbslower postgres -p "$target_pid" -m 0 -w -M 3
echo >&8
stop_tool
expect_equal "$(statements)" 'query shop app select 1
execute shop app select $1
query shop app select 1'
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
