#!/bin/bash
# shares: redis mysql
source "$(dirname "$0")/../../lib.sh"

# On a terminal, the tools for databases cut their lines to its width unless an option forbids it;
# -i replaces the previous output.
source "$(dirname "$0")/terminals.bash"
start_mariadb
start_redis
sql() { mariadb --no-defaults -S "$mariadb_socket" "$@"; }
long=$(printf 'x%.0s' {1..300})
on_terminal "$T/statements" mysqlqueries -p "$mariadb_pid" --command query -M 2
on_terminal "$T/slow" dbslower mysql -p "$mariadb_pid" -m 0 -M 2
on_terminal "$T/full" dbslower mysql -p "$mariadb_pid" -m 0 -M 2 --full
on_terminal "$T/digests" mysqlqueries -p "$mariadb_pid" --command query --digest -i 0.5 -M 2
on_terminal "$T/commands" rediscommands -p "$redis_pid" -M 2
on_terminal "$T/redis-digests" rediscommands -p "$redis_pid" --digest --sort count --top 1 -i 100 -M 6
wait_for '[ "$(lines digests | grep -c "  no statements$")" -ge 2 ]' 20
sql -e "select '$long', 'é'" >"$T/out"
sql -e "select $long" >"$T/out" 2>&1 || true
for _ in 1 2 3; do
	redis-cli -s "$redis_socket" set "$long" 1 >"$T/out"
	redis-cli -s "$redis_socket" get a >"$T/out"
done
wait "${scripts[@]}"
for name in statements slow digests commands; do
	fits "$name"
done
lines full >"$T/lines"
expect_line "select 'x{300}', 'é'$" "$T/lines"
for name in digests redis-digests; do
	expect_line $'\x1b\\[\\?1049h' "$T/$name"
done
lines digests >"$T/lines"
expect_line '  no statements$' "$T/lines"
expect_equal "$(grep -A 1 '  no statements' "$T/lines" | grep -c COUNT)" 0
lines redis-digests >"$T/lines"
expect_line '^ +3 .* (get|set)$' "$T/lines"
expect_count 1 'COUNT' "$T/lines"
