# shellcheck shell=bash disable=SC2154,SC2034,SC2016 # variables from lib.sh and for documents.bash, and of other shells
#
# Servers of a shop, for targets.bash. The databases have no index by customer, so that a query by customer
# reads all orders. One client keeps an order locked for a while, for which another waits.
source "$ROOT/tests/tools/http.bash"

on_mariadb() {
	start_mariadb
	names=([PID]=$mariadb_pid)
	mariadb --no-defaults -S "$mariadb_socket" mysql <<-'END'
		create user app; create database shop; grant all on shop.* to app; use shop;
		create table orders (id int primary key auto_increment, customer int, total int, note varchar(100));
		insert into orders (customer, total, note) select seq % 500, seq, repeat('x', 80) from seq_1_to_30000;
	END
	clients_ mariadb --no-defaults -S "$mariadb_socket" -u app --force shop
}
on_postgres() {
	start_postgres
	names=([PID]=$postgres_pid)
	postgres_ postgres <<<'create role app superuser login; create database shop owner app;'
	postgres_ shop <<-'END'
		create table orders (id int primary key, customer int, total int, note text);
		insert into orders select i, i % 500, i, repeat('x', 80) from generate_series(1, 30000) i; analyze;
	END
	clients_ "$postgres_bin/psql" -X -q -h "$postgres_dir" -U app shop
}
postgres_() { "$postgres_bin/psql" -X -q -h "$postgres_dir" -U postgres "$1" >"$T/load.out"; } # DATABASE

# Starts three clients of a database, which send statements without end.
clients_() { # CLIENT…
	statements_ 'select * from orders where id = $n;
select count(*), sum(total) from orders where customer = $n;
select discount from orders where id = $n;' 0.02 "$@"
	statements_ 'begin; update orders set total = total + 1 where id = 7;' 0.05 "$@"
	statements_ 'update orders set total = 0 where id = 7;' 0.01 "$@"
}
statements_() { # STATEMENTS PAUSE CLIENT…
	local script='n=0; while n=$((n % 400 + 1)); do eval "echo \"$1\""; sleep "$2"; [[ $1 != begin* ]] || echo "commit;"; done | "${@:3}"'
	start_ "$T/load.out" "$T/load.err" bash -c "$script" client "$@"
}

# nginx with a shop's pages, which also forwards /api to a shop of Node.js, and curl as a customer.
on_nginx() {
	local node
	node=$(free_port)
	npm_node 24
	cp "$ROOT/tests/documents/shop/shop.js" "$T/srv"
	start_target_and_wait env -C "$T/srv" "PORT=$node" "$node_path" "$T/srv/shop.js"
	names=([NODE]=$target_pid)
	start_nginx "location /orders/ { proxy_pass http://127.0.0.1:$node; }"
	names+=([PID]=$nginx_pid [PORT]=$port [TLS_PORT]=$tls_port)
	load_ "curl -s 'http://127.0.0.1:$port/orders/[11-14]?token=secret'; curl -sk https://127.0.0.1:$tls_port/ok; curl -s http://127.0.0.1:$port/favicon.ico; sleep 0.05"
}

on_go() {
	local port
	need_command go
	port=$(free_port)
	(cd "$T" && GO111MODULE=off go build -ldflags '-s -w' -o "$T/srv/shop" "$ROOT/tests/documents/shop/shop.go")
	start_target_and_wait env -C "$T/srv" "PORT=$port" ./shop
	names=([PID]=$target_pid)
	load_ "curl -s http://127.0.0.1:$port/orders/[11-14]; sleep 0.05"
}
