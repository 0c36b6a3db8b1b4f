# shellcheck shell=bash disable=SC2154 # work, has_bpftrace, row …: bench/run
#
# What a statement costs a real server, with nobody looking, with a tool that shows all of them, and with the bpftrace
# script that shows as much: in turns, against the same server, by one client that asks as fast as it is answered.

# Runs in a shell of its own, with the helpers of the tests, which start the servers and end them.
with_servers() { # FUNCTION
	local status=0
	(
		# shellcheck source=tests/lib.sh
		source "$here/../tests/lib.sh"
		"$1"
	) || status=$?
	[ "$status" -eq 0 ] || echo "$1: skipped"
}

# A load is a script that prints the nanoseconds of a statement.
compare_cost() { # NAME TOOL… --- BPFTRACE-SCRIPT
	local name=$1 tool=() peer=()
	shift
	while [ "$1" != --- ]; do
		tool+=("$1")
		shift
	done
	[ -z "$has_bpftrace" ] || peer=(--- bpftrace -c "/bin/sh $work/ready" -e "$2")
	cat >"$work/nobody" <<'END'
trap 'kill $!; exit 0' INT
echo ready >&"$USCOPE_READY_FD"
sleep 600 &
wait
END
	measure -r 5 -l "/bin/sh $work/load" /bin/sh "$work/nobody" --- "${tool[@]}" "${peer[@]}"
	row "$name, ns; nobody looks" "$(field 2 load)" "$(field 1 load)" '' "$(field 3 load)"
}

of_postgres() {
	start_postgres
	cat >"$work/load" <<END
pgbench -n -S -h '$postgres_dir' -U postgres -t 2000 postgres 2>&1 | awk '/^tps/ { printf "%.0f\n", 1e9 / \$3 }'
END
	pgbench -i -q -h "$postgres_dir" -U postgres postgres >"$T/out" 2>&1
	compare_cost 'a select of PostgreSQL, shown by dbslower' "$BIN/dbslower" postgres -p "$postgres_pid" -m 0 --- "
		uprobe:$postgres_bin/postgres:pgstat_report_activity /arg1/ { @start[tid] = nsecs; @text[tid] = str(arg1) }
		uprobe:$postgres_bin/postgres:pq_getbyte /@start[tid]/ {
			printf(\"%d %s\n\", (nsecs - @start[tid]) / 1000, @text[tid]); delete(@start[tid]); delete(@text[tid]) }"
}

of_mariadb() {
	local at calls=3000 i
	start_mariadb
	at="$(readlink -f "$(command -v mariadbd)"):_Z16dispatch_command19enum_server_commandP3THDPcjb"
	for ((i = 0; i < calls; i++)); do echo "select $i, 'some text';"; done >"$T/sql"
	cat >"$work/load" <<END
start=\$(date +%s%N)
mariadb --no-defaults -S '$mariadb_socket' -N <'$T/sql' >'$T/out'
echo \$(((\$(date +%s%N) - start) / $calls))
END
	compare_cost 'a select of MariaDB, shown by mysqlqueries' "$BIN/mysqlqueries" -p "$mariadb_pid" --- "
		uprobe:$at { @start[tid] = nsecs; @text[tid] = str(arg2, arg3) }
		uretprobe:$at /@start[tid]/ { printf(\"%d %s\n\", (nsecs - @start[tid]) / 1000, @text[tid]); delete(@start[tid]); delete(@text[tid]) }"
}

of_redis() {
	local program calls=200000 lines
	start_redis
	program=$(readlink -f "$(command -v redis-server)")
	cat >"$work/load" <<END
redis-benchmark -s '$redis_socket' -c 1 -n 20000 -q --csv get some-key | awk -F, 'NR == 2 { gsub("\"", ""); printf "%.0f\n", 1e9 / \$2 }'
END
	compare_cost 'a GET of Redis, shown by rediscommands' "$BIN/rediscommands" -p "$redis_pid" --- "
		uprobe:$program:call { @start[tid] = nsecs }
		uretprobe:$program:call /@start[tid]/ { printf(\"%d\n\", (nsecs - @start[tid]) / 1000); delete(@start[tid]) }"
	cat >"$work/load" <<END
redis-benchmark -s '$redis_socket' -c 4 -P 16 -n $calls -q --csv get some-key | awk -F, 'NR == 2 { gsub("\"", ""); printf "%.0f\n", \$2 }'
END
	measure -r 1 -l "/bin/sh $work/load" -o "$work/lines" "$BIN/rediscommands" -p "$redis_pid"
	lines=$(grep -c ' get some-key' "$work/lines")
	row "of $calls commands at $(field 1 load)/s, not shown" "$((calls - lines))" - 0
}

servers() {
	with_servers of_postgres
	with_servers of_mariadb
	with_servers of_redis
}
