# shellcheck shell=bash disable=SC2154,SC2034 # variables from lib.sh and for documents.bash
#
# Targets in C, C++, Rust and Go, servers with a known load, and a container; see targets.bash.

# tests/targets/demo.cpp, the program of `make demo`.
on_shop() {
	cp "$TARGETS/demo" "$T/srv/shop"
	start_target_and_wait "$T/srv/shop"
	names=([PID]=$target_pid)
}

on_warehouse() {
	need_command rustc
	rustc -g -O -o "$T/srv/warehouse" "$ROOT/tests/documents/shop/warehouse.rs" 2>"$T/rustc" || fail "rustc: $(cat "$T/rustc")"
	start_target_and_wait "$T/srv/warehouse"
	names=([PID]=$target_pid)
}

# A Go program of Debian that serves HTTP.
on_exporter() {
	need_command prometheus-node-exporter curl
	source "$ROOT/tests/tools/http.bash"
	local port
	port=$(free_port)
	start_target prometheus-node-exporter --web.listen-address="127.0.0.1:$port" --web.disable-exporter-metrics
	names=([PID]=$target_pid [PORT]=$port)
	wait_for "curl -sf http://127.0.0.1:$port/ >'$T/exporter'" 60
	load_ "curl -s http://127.0.0.1:$port/metrics http://127.0.0.1:$port/nosuch; sleep 0.3"
}

# nginx that sends /report slowly, lacks /favicon.ico, and whose clients ask for both.
on_web() {
	source "$ROOT/tests/tools/http.bash"
	start_nginx 'location /report { limit_rate 200k; }'
	echo 'It works.' >"$T/www/index.html"
	head -c 500000 /dev/zero | tr '\0' x >"$T/www/report"
	chmod -R a+rX "$T/www"
	names=([PID]=$nginx_pid [PORT]=$port)
	load_ "curl -s http://127.0.0.1:$port/ http://127.0.0.1:$port/favicon.ico http://127.0.0.1:$port/report; sleep 0.2"
}

# A cache that grows: keys without an expiry.
on_cache() {
	start_redis
	names=([PID]=$redis_pid [SOCKET]=$redis_socket)
	load_ "redis-benchmark -s '$redis_socket' -c 1 -n 100 -d 500 -r 100000000 -q -t set; sleep 0.2"
}

# MariaDB whose clients wait for the lock on a row that one of them holds for 0.2 s, and sort.
on_locks() {
	local mariadb
	start_mariadb
	mariadb="mariadb --no-defaults -S '$mariadb_socket'"
	eval "$mariadb -e 'create database shop; use shop; create table stock (article int primary key, pieces int);
		insert into stock select seq, 100 from seq_1_to_5000'" 2>"$T/load.err" || fail "mariadb: $(cat "$T/load.err")"
	names=([PID]=$mariadb_pid)
	load_ "$mariadb shop -e 'begin; update stock set pieces = pieces - 1 where article = 1; do sleep(0.2); commit'; sleep 0.1"
	load_ "$mariadb shop -e 'update stock set pieces = 100 where article = 1'; sleep 0.1"
	load_ "$mariadb shop -e 'select md5(a.article), count(*) from stock a, stock b where b.article < 20 group by 1 order by 2 limit 1'; sleep 0.3"
}

# redis-server of Debian 13, with processes, mounts, a root and a cgroup of its own: the container
# "cache".
on_container() {
	local cgroup
	cgroup=$(findmnt -nt cgroup2 -o TARGET | head -n 1)
	[ -n "$cgroup" ] && cgroup=$cgroup/shop-$$.slice && mkdir "$cgroup" || skip 'cannot create a cgroup-v2 folder'
	at_exit "rmdir '$cgroup'"
	cgroup=$cgroup/machine-cache.scope # as systemd-nspawn names it
	mkdir "$cgroup"
	debian_root trixie redis-server
	# shellcheck disable=SC2016 # variables of the inner shell
	in_root=(sh -c 'echo $$ >"$0" && exec unshare --pid --fork --kill-child "$@"' "$cgroup/cgroup.procs" "${in_root[@]}")
	start_redis
	at_exit "echo 1 >'$cgroup/cgroup.kill'; for try in {1..250}; do rmdir '$cgroup' && break; sleep 0.02; done 2>/dev/null"
	names=([PID]=$(pgrep -P "$redis_pid") [CGROUP]=$cgroup [SOCKET]=$redis_socket)
	load_ "redis-cli -s '$redis_socket' incr visits; sleep 0.1"
}
