#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/flow.bash"

# PHP's names are shown as in the source; -M takes them with and without namespaces.
need_php
cat >"$T/shop.php" <<'PHP'
<?php
namespace App\Shop;
class Cart { function add() {} }
class Order { function pay() {} }
function total() {}
echo "ready\n";
fgets(STDIN);
(new Cart)->add();
(new Order)->pay();
total();
echo "done\n";
fgets(STDIN);
PHP
flow() { # OPTION…
	start_waiting env USE_ZEND_DTRACE=1 "${php_program[@]}" "$T/shop.php"
	run_tool uflow "$@" "$target_pid"
	proceed
	wait_done
	stop_tool TERM
	expect_status 0
	rm "$T/lines"
}

flow
expect_equal "$(tree | grep -e '->')" '-> App\Shop\Cart.add
-> App\Shop\Order.pay
-> App\Shop\total'
for class in Cart 'App\Shop\C' '\App\Shop\Cart'; do
	flow -C "$class"
	expect_equal "$(tree)" '-> App\Shop\Cart.add
<- App\Shop\Cart.add'
done
for method in tot 'App\Shop\total'; do
	flow -M "$method"
	expect_equal "$(tree)" '-> App\Shop\total
<- App\Shop\total'
done
