# shellcheck shell=bash disable=SC2154,SC2034 # variables from lib.sh and for documents.bash
#
# The same small shop, served by each runtime (tests/documents/shop), for targets.bash.
source "$ROOT/tests/built.bash"

on_java() { java_shop_; }
on_java_methods() { java_shop_ -XX:+DTraceMethodProbes -XX:+DTraceAllocProbes; }
java_shop_() { # JVM-OPTION…
	need_command java javac
	javac -d "$T/srv" "$ROOT/tests/documents/shop/Shop.java"
	start_target_and_wait java -XX:+UseG1GC -Xmx64m "$@" -cp "$T/srv" Shop
	names=([PID]=$target_pid)
}

on_python() {
	need_python_3_11
	shop_ shop.py "${python_program[@]}"
}
on_ruby() {
	need_ruby
	shop_ shop.rb "${ruby_program[@]}"
}
on_ruby_traced() {
	need_ruby
	shop_ shop.rb "${ruby_program[@]}" -r "$ROOT/tests/documents/shop/traced.rb"
}
on_php() {
	need_php
	shop_ shop.php "${php_program[@]}"
}
on_php_dtrace() {
	need_php
	shop_ shop.php env USE_ZEND_DTRACE=1 "${php_program[@]}"
}
shop_() { # SCRIPT COMMAND…
	cp "$ROOT/tests/documents/shop/$1" "$T/srv"
	start_target_and_wait env -C "$T/srv" "${@:2}" "$T/srv/$1"
	names=([PID]=$target_pid)
}

on_node() {
	local port
	npm_node 24
	port=$(free_port)
	shop_ shop.js env "PORT=$port" "$node_path"
	load_ "curl -s http://127.0.0.1:$port/orders/[1-20]"
}

