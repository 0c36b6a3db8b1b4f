#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/flow.bash"

# For a program that does not report its methods, the error gives the reason and what to do.
refused() { # MESSAGE
	run timeout 20 "$BIN/uflow" "$target_pid"
	expect_status 1
	expect_equal "$(wc -l <"$tool_err")" 1
	expect_line "^uflow: $1" "$tool_err"
	stop_target
	rm -f "$T/lines"
}
need_php
write_php
start_waiting "${php_program[@]}" "$T/octi.php" 1
refused "process $target_pid \(php 8\..*USE_ZEND_DTRACE=1"

start_target sleep 1000
refused "process $target_pid \(sleep\) runs none of these languages"
