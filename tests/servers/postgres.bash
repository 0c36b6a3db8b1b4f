# shellcheck shell=bash disable=SC2034,SC2154 # variables from lib.sh, and variables for the tests

make_postgres_data_() { # FOLDER [RUN-AS…] POSTGRES
	mkdir "$1"
	local bin=${*: -1}
	bin=${bin%/*}
	[ $# -eq 2 ] || chown postgres "$1"
	(cd / && LC_ALL=C "${@:2:$#-2}" "$bin/initdb" -U postgres -A trust --no-sync -E UTF8 -D "$1")
}

# Starts the server of npm_postgres (built.bash) if the test called that, else Debian's; the clients
# are always Debian's. Sets postgres_pid, postgres_dir (a host for psql and pgbench) and
# postgres_bin (the folder of the clients).
start_postgres() { # ARG…
	local bin run_as=("${in_root[@]}") user
	postgres_bin=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
	[ -x "$postgres_bin/initdb" ] || skip 'postgresql is not installed'
	bin=${npm_postgres_bin:-$postgres_bin} postgres_dir=$T/postgres
	if [ ${#in_root[@]} -gt 0 ]; then
		bin=$(cd "$root" && printf '/%s\n' usr/lib/postgresql/*/bin)
		grep '^postgres:' /etc/passwd >"$root/etc/passwd"
	fi
	mkdir "$postgres_dir"
	if user=$(id -u) && [ "$user" -eq 0 ]; then
		chown postgres "$postgres_dir"
		run_as+=(setpriv --reuid="$(id -u postgres)" --regid="$(id -g postgres)" --clear-groups)
	fi
	copy_new_data_ "$postgres_dir/data" make_postgres_data_ "${run_as[@]}" "$bin/postgres"
	start_server_ "$postgres_dir/.s.PGSQL.5432" "$T/postgres.log" env -C / "${run_as[@]}" "$bin/postgres" \
		-D "$postgres_dir/data" -k "$postgres_dir" -c listen_addresses= -c fsync=off "$@"
	postgres_pid=$pid
	# Ends it by SIGINT: its children leave the process group, and a killed server leaves shared
	# memory behind.
	at_exit "kill -INT $pid 2>/dev/null && wait $pid"
	wait_for "'$postgres_bin/pg_isready' -q -h '$postgres_dir'" 60
}
