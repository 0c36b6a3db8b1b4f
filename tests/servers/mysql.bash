# shellcheck shell=bash disable=SC2034,SC2154 # variables from lib.sh, and variables for the tests

make_mysql_data_() { # FOLDER COMMAND-IN-ROOT…
	"${@:2}" --no-defaults --initialize-insecure --user=root --datadir="$1"
}

# Starts MySQL from a debian_root; sets mysql_pid, mysql_socket. The client is MariaDB's. The X
# protocol listens on $mysql_socket.x.
start_mysql() { # ARG…
	need_command mariadb
	mkdir "$T/mysql"
	mysql_socket=$T/mysql/s
	copy_new_data_ "$T/mysql/data" make_mysql_data_ "${in_root[@]}" mysqld
	start_server_ "$mysql_socket" "$T/mysql/log" "${in_root[@]}" mysqld --no-defaults --user=root \
		--datadir="$T/mysql/data" --secure-file-priv=NULL --socket="$mysql_socket" --mysqlx-socket="$mysql_socket.x" --skip-networking \
		--pid-file="$T/mysql/pid" "$@"
	mysql_pid=$pid sockets_+=("$mysql_socket.x")
	wait_for "mariadb --no-defaults -u root -S '$mysql_socket' -e 'select 1' >/dev/null 2>&1" 60
}
