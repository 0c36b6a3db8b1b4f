#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/flow.bash"

# Each stack of calls with its own time.
need_php
cat >"$T/sleep.php" <<'PHP'
<?php
function inner() { usleep(20000); }
function outer() { usleep(50000); inner(); }
echo "ready\n";
fgets(STDIN);
outer();
outer();
echo "done\n";
fgets(STDIN);
PHP
start_waiting env USE_ZEND_DTRACE=1 "${php_program[@]}" "$T/sleep.php"
run_tool uflow --folded "$target_pid"
proceed
wait_done
stop_tool INT
expect_status 0
expect_equal "$(sed 's/ [0-9]*$//' "$tool_out")" "$php_name;outer
$php_name;outer;inner"
outer=$(sed -n "s/^$php_name;outer \([0-9]*\)\$/\1/p" "$tool_out")
inner=$(sed -n "s/^$php_name;outer;inner \([0-9]*\)\$/\1/p" "$tool_out")
[ "$outer" -ge 100000 ] || fail "outer() slept for 100 ms, not $outer us"
[ "$inner" -ge 40000 ] || fail "inner() slept for 40 ms, not $inner us"

# PHP's names are shown as in the source.
cat >"$T/shop.php" <<'PHP'
<?php
namespace App\Shop;
class Cart { function add() { usleep(1000); } }
echo "ready\n";
fgets(STDIN);
(new Cart)->add();
echo "done\n";
fgets(STDIN);
PHP
rm "$T/lines"
start_waiting env USE_ZEND_DTRACE=1 "${php_program[@]}" "$T/shop.php"
run_tool uflow --folded "$target_pid"
proceed
wait_done
stop_tool TERM
expect_status 0
expect_equal "$(sed 's/ [0-9]*$//' "$tool_out")" "$php_name"';App\Shop\Cart.add'
