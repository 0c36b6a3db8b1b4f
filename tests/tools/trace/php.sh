#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# PHP fires function__entry only when it was started with USE_ZEND_DTRACE=1.
need_php
cat >"$T/greet.php" <<'PHP'
<?php
class Octi { static function greet(string $name): int { return strlen($name); } }
echo "ready\n";
while (true) { Octi::greet("fest"); usleep(20000); }
PHP
start_target_and_wait env USE_ZEND_DTRACE=1 "${php_program[@]}" "$T/greet.php"
run_tool trace -M 2 -p "$target_pid" "u:$php_path:"'function__entry (arg1 == "greet") "%s::%s line %d" arg4, arg1, arg3'
stop_tool
expect_status 0
expect_count 2 'function__entry +Octi::greet line [0-9]+$' "$tool_out"
