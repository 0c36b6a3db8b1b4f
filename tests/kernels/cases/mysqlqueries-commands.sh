# shellcheck shell=sh
. /kernels/lib.sh

# Every command with its text and its error; fixtures stand in for MySQL before 5.7, and since.
# On arm64, the connection's number is unknown.
connection=42
[ "$(uname -m)" = x86_64 ] || connection=-
for fixture in mysql-packet mysql-com-data; do
	start_target "/targets/$fixture"
	run_tool mysqlqueries -p "$target_pid" -M 7
	echo >&8
	stop_tool
	expect_equal "$(awk 'NR > 1 { $1 = $3 = $5 = ""; print }' "$tool_out" | tr -s ' ')" "$(
		for row in 'ok Init DB test' 'ok Query select 1' '1064 Query selec 1' 'ok Prepare select ?' \
			'ok Execute select ?' 'ok Ping' 'ok Quit'; do
			echo " $target_pid $connection $row"
		done
	)"
done
