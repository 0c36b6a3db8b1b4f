#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/flow.bash"

# Who sees nothing is told why: nothing is called, or nothing that is let through.
need_php
write_php
start_waiting env USE_ZEND_DTRACE=1 "${php_program[@]}" "$T/octi.php" 1
run_tool uflow -C Other "$target_pid"
wait_for "[ -s '$tool_err' ]" 10
expect_equal "$(cat "$tool_err")" 'uflow: no call seen so far'
proceed
wait_done
stop_tool INT
expect_status 0
expect_equal "$(tail -n 1 "$tool_err")" 'uflow: 5 calls seen, none that -C, -M and --depth let through'
