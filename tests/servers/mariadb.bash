# shellcheck shell=bash disable=SC2034,SC2154 # variables from lib.sh, and variables for the tests

make_mariadb_data_() { # FOLDER
	mariadb-install-db --no-defaults --user=root --datadir="$1" --skip-test-db --auth-root-authentication-method=normal
}

# Starts MariaDB; sets mariadb_pid, mariadb_socket. One from debian_root also starts from data that
# this machine's MariaDB made.
start_mariadb() { # ARG…
	need_command mariadbd mariadb mariadb-install-db
	mkdir "$T/mariadb"
	mariadb_socket=$T/mariadb/s
	copy_new_data_ "$T/mariadb/data" make_mariadb_data_ mariadbd
	start_server_ "$mariadb_socket" "$T/mariadb/log" "${in_root[@]}" mariadbd --no-defaults --user=root \
		--datadir="$T/mariadb/data" --socket="$mariadb_socket" --skip-networking "$@"
	mariadb_pid=$pid
	wait_for "mariadb --no-defaults -S '$mariadb_socket' -e 'select 1' >/dev/null 2>&1" 60
}
