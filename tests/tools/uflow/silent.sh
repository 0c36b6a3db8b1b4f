#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/flow.bash"

# If no calls are shown, the tool gives the reason: nothing was called, or the filter matched
# nothing.
need_php
write_php
start_waiting env USE_ZEND_DTRACE=1 "${php_program[@]}" "$T/octi.php" 1
run_tool uflow -C Other "$target_pid"
wait_for "grep -q '^uflow: no calls seen so far$' '$tool_err'" 10
proceed
wait_done
stop_tool INT
expect_status 0
expect_equal "$(tail -n 1 "$tool_err")" 'uflow: 5 calls seen, but none matched -C, -M and --depth'
