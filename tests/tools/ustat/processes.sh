#!/bin/bash
# shares: ustat
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/ustat.bash"

# -p and -l select processes; a process given by -p must have a runtime.
need_php
need_ruby
need_command jq
write_programs
start_program ruby "${ruby_program[@]}" "$T/octi.rb"
ruby=$target_pid
start_program php env USE_ZEND_DTRACE=1 "${php_program[@]}" "$T/octi.php"
php=$target_pid
run timeout 20 "$BIN/ustat" --json -i 0.1 -n 1 -p "$php"
expect_status 0
expect_equal "$(jq .pid "$tool_out")" "$php"
run timeout 20 "$BIN/ustat" --json -i 0.1 -n 1 -l ruby
expect_status 0
expect_line "\"pid\":$ruby," "$tool_out"
expect_no_line "\"pid\":$php," "$tool_out"

start_target sleep 1000
run timeout 20 "$BIN/ustat" -p "$target_pid"
expect_status 1
expect_line "^ustat: process $target_pid \(sleep\) runs none of these languages" "$tool_err"
