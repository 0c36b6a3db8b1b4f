# shellcheck shell=bash disable=SC2154 # work, has_bpftrace, row …: bench/run
#
# What a statement costs a real server: its own CPU time, traps included, with nobody looking, with a tool that shows all
# of them, and with the bpftrace script that shows as much: in turns, against the same server, by one client that asks as
# fast as it is answered. Server and client have a processor each, as what they take from each other is the scheduler's doing.

cgroups() { findmnt -n -t cgroup2 -o TARGET | head -n 1; }

# Runs in a shell of its own, with the helpers of the tests, which start the servers and end them.
with_servers() { # FUNCTION
	local status=0 i
	(
		# shellcheck source=tests/lib.sh
		source "$here/../tests/lib.sh"
		"$1"
	) || status=$?
	# Its processes are ending: a server's own children may take a moment longer.
	for ((i = 0; i < 100; i++)); do
		[ -d "$(cgroups)/uscope-bench-$$" ] && ! rmdir "$(cgroups)/uscope-bench-$$" 2>/dev/null || break
		sleep 0.05
	done
	[ "$status" -eq 0 ] || echo "$1: skipped"
}

# The server is in a cgroup of its own, which counts the CPU time of its processes, also of those that have ended.
alone_on_last_processor() { # PID
	[ -n "$(cgroups)" ] || skip 'no cgroup v2'
	group=$(cgroups)/uscope-bench-$$
	mkdir "$group" || fail "$group is there already"
	for task in "/proc/$1/task"/*; do
		taskset -p -c "$(($(nproc) - 1))" "${task##*/}" >/dev/null
	done
	for pid in "$1" $(pgrep -P "$1"); do
		echo "$pid" >"$group/cgroup.procs"
	done
}

# Has the load print the nanoseconds of the server's CPU a statement.
load_of() { # STATEMENTS COMMAND
	cat >"$work/load" <<END
cpu() { sed -n 's/^usage_usec //p' '$group/cpu.stat'; }
before=\$(cpu)
taskset -c 0 /bin/sh -c "$2" || exit 1
echo \$(((\$(cpu) - before) * 1000 / $1))
END
}

compare_cost() { # NAME TOOL… --- BPFTRACE-SCRIPT ("": there is none)
	local name=$1 tool=() peer=()
	shift
	while [ "$1" != --- ]; do
		tool+=("$1")
		shift
	done
	[ -z "$has_bpftrace" ] || [ -z "$2" ] || peer=(--- bpftrace -c "/bin/sh $work/ready" -e "$2")
	measure -m -r 7 -l "/bin/sh $work/load" /bin/sh "$work/nobody" --- "${tool[@]}" "${peer[@]}"
	row "$name, ns; unwatched" "$(field 2 load)" "$(field 1 load)" '' "$(field 3 load)"
}

of_postgres() {
	start_postgres
	pgbench -i -q -h "$postgres_dir" -U postgres postgres >"$T/out" 2>&1
	alone_on_last_processor "$postgres_pid"
	load_of 10000 "pgbench -n -S -h '$postgres_dir' -U postgres -t 10000 postgres >'$T/out' 2>&1"
	compare_cost 'server CPU, a select of PostgreSQL, shown' "$BIN/dbslower" postgres -p "$postgres_pid" -m 0 --- "
		uprobe:$postgres_bin/postgres:pgstat_report_activity /arg1/ { @start[tid] = nsecs; @text[tid] = str(arg1) }
		uprobe:$postgres_bin/postgres:pq_getbyte /@start[tid]/ {
			printf(\"%d %s\n\", (nsecs - @start[tid]) / 1000, @text[tid]); delete(@start[tid]); delete(@text[tid]) }"
}

of_mariadb() {
	local at calls=10000 i
	start_mariadb
	at="$(readlink -f "$(command -v mariadbd)"):_Z16dispatch_command19enum_server_commandP3THDPcjb"
	for ((i = 0; i < calls; i++)); do echo "select $i, 'some text';"; done >"$T/sql"
	alone_on_last_processor "$mariadb_pid"
	load_of $calls "mariadb --no-defaults -S '$mariadb_socket' -N <'$T/sql' >'$T/out'"
	compare_cost 'server CPU, a select of MariaDB, shown' "$BIN/mysqlqueries" -p "$mariadb_pid" --- "
		uprobe:$at { @start[tid] = nsecs; @text[tid] = str(arg2, arg3) }
		uretprobe:$at /@start[tid]/ { printf(\"%d %s\n\", (nsecs - @start[tid]) / 1000, @text[tid]); delete(@start[tid]); delete(@text[tid]) }"
}

of_redis() {
	local program calls=200000 lines
	start_redis
	program=$(readlink -f "$(command -v redis-server)")
	alone_on_last_processor "$redis_pid"
	load_of 50000 "redis-benchmark -s '$redis_socket' -c 1 -n 50000 -q get some-key >'$T/out'"
	compare_cost 'server CPU, a GET of Redis, shown' "$BIN/rediscommands" -p "$redis_pid" --- "
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
