# shellcheck shell=bash disable=SC2154 # work, has_bpftrace, row …: bench/run
#
# Parts of bench/run and bench/peers: the CPU time that a real server needs for a statement, with
# the traps of probes. Compares the server without a tool, with a tool that shows all statements,
# and with a bpftrace script that shows as much; the three take turns on the same server. One client
# sends the next statement as soon as it has the answer. Server and client have a CPU each, so that
# the scheduler's choices do not matter.

# Prints where cgroup v2 is mounted; nothing if it is not.

cgroups() { findmnt -n -t cgroup2 -o TARGET | head -n 1; }

# Runs FUNCTION in a subshell with the tests' helpers, which start and stop servers.
with_servers() { # FUNCTION
	local status=0 i
	(
		# shellcheck source=tests/lib.sh
		source "$here/../tests/lib.sh"
		"$1"
	) || status=$?
	# Remove the cgroup, which works only when its last process has exited: a server's children
	# may take a moment longer.
	for ((i = 0; i < 100; i++)); do
		[ -d "$(cgroups)/uscope-bench-$$" ] && ! rmdir "$(cgroups)/uscope-bench-$$" 2>/dev/null || break
		sleep 0.05
	done
	[ "$status" -eq 0 ] || echo "$1: skipped"
}

# Moves the server to the last CPU and to its own cgroup, which counts the CPU time of its
# processes, including ended ones.
isolate_on_last_cpu() { # PID
	[ -n "$(cgroups)" ] || skip 'no cgroup v2'
	group=$(cgroups)/uscope-bench-$$
	mkdir "$group" || fail "$group exists already"
	for task in "/proc/$1/task"/*; do
		taskset -p -c "$(($(nproc) - 1))" "${task##*/}" >/dev/null
	done
	for pid in "$1" $(pgrep -P "$1"); do
		echo "$pid" >"$group/cgroup.procs"
	done
}

# Writes the load, a script that runs COMMAND, which sends STATEMENTS, and prints the server's CPU
# time per statement in nanoseconds.
server_cpu_load() { # STATEMENTS COMMAND
	cat >"$work/load" <<END
cpu() { sed -n 's/^usage_usec //p' '$group/cpu.stat'; }
before=\$(cpu)
taskset -c 0 /bin/sh -c "$2" || exit 1
echo \$(((\$(cpu) - before) * 1000 / $1))
END
}

compare_cost() { # NAME TOOL… --- BPFTRACE-SCRIPT ("": none)
	local name=$1 tool=() peer=()
	shift
	while [ "$1" != --- ]; do
		tool+=("$1")
		shift
	done
	[ -z "$has_bpftrace" ] || [ -z "$2" ] || peer=(--- "${bpftrace[@]}" "$2")
	measure -m -r 7 -l "/bin/sh $work/load" /bin/sh "$here/no-tool" --- "${tool[@]}" "${peer[@]}"
	row "$name, ns; untraced" "$(field 2 load)" "$(field 1 load)" '' "$(field 3 load)"
}

postgres_statements() {
	start_postgres
	pgbench -i -q -h "$postgres_dir" -U postgres postgres >"$T/out" 2>&1
	show_to_peers "$postgres_bin/postgres"
	isolate_on_last_cpu "$postgres_pid"
	server_cpu_load 10000 "pgbench -n -S -h '$postgres_dir' -U postgres -t 10000 postgres >'$T/out' 2>&1"
	compare_cost 'server CPU per shown select of PostgreSQL' "$BIN/dbslower" postgres -p "$postgres_pid" -m 0 --- "
		uprobe:$postgres_bin/postgres:pgstat_report_activity /arg1/ { @start[tid] = nsecs; @text[tid] = str(arg1) }
		uprobe:$postgres_bin/postgres:pq_getbyte /@start[tid]/ {
			printf(\"%d %s\n\", (nsecs - @start[tid]) / 1000, @text[tid]); delete(@start[tid]); delete(@text[tid]) }"
}

mariadb_statements() {
	local at calls=10000 i
	start_mariadb
	at="$(readlink -f "$(command -v mariadbd)"):_Z16dispatch_command19enum_server_commandP3THDPcjb"
	for ((i = 0; i < calls; i++)); do echo "select $i, 'some text';"; done >"$T/sql"
	show_to_peers "${at%:*}"
	isolate_on_last_cpu "$mariadb_pid"
	server_cpu_load $calls "mariadb --no-defaults -S '$mariadb_socket' -N <'$T/sql' >'$T/out'"
	compare_cost 'server CPU per shown select of MariaDB' "$BIN/mysqlqueries" -p "$mariadb_pid" --- "
		uprobe:$at { @start[tid] = nsecs; @text[tid] = str(arg2, arg3) }
		uretprobe:$at /@start[tid]/ { printf(\"%d %s\n\", (nsecs - @start[tid]) / 1000, @text[tid]); delete(@start[tid]); delete(@text[tid]) }"
}

redis_gets() {
	local program
	start_redis
	program=$(readlink -f "$(command -v redis-server)")
	show_to_peers "$program"
	isolate_on_last_cpu "$redis_pid"
	server_cpu_load 50000 "redis-benchmark -s '$redis_socket' -c 1 -n 50000 -q get some-key >'$T/out'"
	compare_cost 'server CPU per shown GET of Redis' "$BIN/rediscommands" -p "$redis_pid" --- "
		uprobe:$program:call { @start[tid] = nsecs }
		uretprobe:$program:call /@start[tid]/ { printf(\"%d\n\", (nsecs - @start[tid]) / 1000); delete(@start[tid]) }"
}

redis_commands() {
	local calls=200000 lines
	redis_gets
	cat >"$work/load" <<END
redis-benchmark -s '$redis_socket' -c 4 -P 16 -n $calls -q --csv get some-key | awk -F, 'NR == 2 { gsub("\"", ""); printf "%.0f\n", \$2 }'
END
	measure -r 1 -l "/bin/sh $work/load" -o "$work/lines" "$BIN/rediscommands" -p "$redis_pid"
	lines=$(grep -c ' get some-key' "$work/lines")
	row "not shown of $calls commands at $(field 1 load)/s" "$((calls - lines))" - 0
}

servers() {
	with_servers postgres_statements
	with_servers mariadb_statements
	with_servers redis_commands
}
