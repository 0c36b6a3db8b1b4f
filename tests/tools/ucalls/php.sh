#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# PHP reports functions only if it was started with USE_ZEND_DTRACE=1; otherwise the tool says so.
need_php
cp "$scripts/work.php" "$T"
start_worker env USE_ZEND_DTRACE=1 "${php_program[@]}" "$T/work.php"
run_tool ucalls -L "$target_pid"
work calls recurse throw
stop_tool INT
expect_status 0
expect_equal "$(calls_of '^(Octi|deep|fails)')" "$(printf '%s\n' 'Octi.leaf 500' 'deep 30' 'fails 20')"
stop_target KILL

start_worker "${php_program[@]}" "$T/work.php"
run "$BIN/ucalls" "$target_pid"
expect_status 1
expect_line '\(php 8\.2\) does not report functions and files: restart it with USE_ZEND_DTRACE=1' "$tool_err"
