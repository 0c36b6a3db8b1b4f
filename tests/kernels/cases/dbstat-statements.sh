# shellcheck shell=sh
. /kernels/lib.sh

# Statements are counted by database and user, all of them and those that take long; a fixture stands in for PostgreSQL.
# On arm64, dbstat cannot find where a server reports that a statement failed: it misses one of four.
statements=20
[ "$(uname -m)" = x86_64 ] || statements=15
start_target /targets/postgres
for least in 0 60000; do
	run_tool dbstat postgres -p "$target_pid" -u --by-database --by-user -m "$least"
	for client in 1 2 3 4 5; do
		echo "$client" >&8
	done
	wait_for "[ \$(grep -c done '$target_out') -ge 5 ]" 60
	stop_tool INT
	: >"$target_out"
	if [ "$least" = 0 ]; then
		expect_line '^database = shop, user = app$' "$tool_out"
		expect_equal "$(awk '/->/ { count += $5 } END { print count }' "$tool_out")" "$statements"
	else
		expect_line 'no statements seen' "$tool_err"
	fi
done
