# shellcheck shell=bash disable=SC2034,SC2154 # the tests use the variables set here
#
# Servers for the tests, each in a private folder below $T and on a unix socket. lib.sh reads this
# file. After debian_root, the servers come from that root, which only has the C locale; the clients
# come from this machine.

servers_=() # processes
sockets_=() # on which they listen

# Starts a server; sets pid.
start_server_() { # SOCKET LOG CMD…
	LC_ALL=C start_ "$2" "$2" "${@:3}"
	servers_+=("$pid") sockets_+=("$1")
}

# A client may receive its answer before the server's end-of-statement probe has fired. When the
# server has closed a connection, all its statements have ended: after its clients have exited, a
# test waits for that with clients_gone. Otherwise stop_tool waits with settle_ until no thread of a
# server runs, or until the servers have used 0.5 s of CPU time: some are never idle.
settle_() {
	local tries=0 running cpu_time end=''
	while [ ${#servers_[@]} -gt 0 ] && [ $((tries += 1)) -le 500 ] && has_clients_; do
		read -r running cpu_time < <(server_load_)
		[ "$running" -gt 0 ] && [ "$cpu_time" -lt "${end:=$((cpu_time + 50))}" ] || break
		sleep 0.02
	done
}
clients_gone() { wait_for '! has_clients_' 30; }

has_clients_() { # an accepted socket is listed under the path of the listening one
	awk -v sockets="${sockets_[*]}" '
		BEGIN { for (i = split(sockets, names, " "); i; i--) is_socket[names[i]] }
		$6 == "03" && $8 in is_socket { found = 1 }
		END { exit !found }' /proc/net/unix
}
# Prints the number of running server threads, and the servers' CPU time in 1/100 s.
server_load_() {
	cat /proc/[0-9]*/task/[0-9]*/stat 2>/dev/null | awk -v servers="${servers_[*]}" '
		BEGIN { for (i = split(servers, pids, " "); i; i--) is_server[pids[i]] }
		{ sub(/.*\) /, "") }
		$2 in is_server || $4 in is_server { running += $1 == "R"; cpu_time += $12 + $13 }
		END { print running + 0, cpu_time + 0 }'
}

# Copies a server's initial data to FOLDER. Making them takes seconds, so each combination of server
# version and MAKE runs once and $cache keeps the result. MAKE is a function, called with a folder
# and the command that runs a server.
copy_new_data_() { # FOLDER MAKE [COMMAND…]
	local make=$2 kept
	kept=$cache/data/$({ "${@:3}" --version && declare -f "$make"; } | cksum | cut -d ' ' -f 1)
	[ -d "$kept" ] || alone "$cache/data" keep_new_data_ "$kept" "${@:2}" || fail "$make: $(tail -n 5 "$T/make-data")"
	cp -r --preserve=mode,ownership "$kept" "$1"
}
keep_new_data_() { # FOLDER MAKE COMMAND…
	[ ! -d "$1" ] || return 0 # another test has made it meanwhile
	"$2" "$T/new-data" "${@:3}" >"$T/make-data" 2>&1 && mv "$T/new-data" "$new/data" && mv -T "$new/data" "$1"
}

for server_ in redis mariadb mysql postgres; do
	# shellcheck source=/dev/null
	source "$ROOT/tests/servers/$server_.bash"
done
