#!/bin/bash
# shares: ustat
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/ustat.bash"

# Processes that start later: the first one with its runtime is found, and one that is gone at once is counted, too.
need_php
need_command jq
write_programs
run_tool ustat --json -i 0.1 -l php
start_program php env USE_ZEND_DTRACE=1 "${php_program[@]}" "$T/octi.php"
wait_for "has_row $target_pid" 20
proceed php
wait_for "grep -q done '$target_out'" 60
first=$target_pid
start_ /dev/null /dev/null env USE_ZEND_DTRACE=1 "${php_program[@]}" -r 'function fest() {} for ($i = 0; $i < 300; $i++) fest();'
wait_for "! alive $pid" 20
second=$pid
stop_tool INT
expect_status 0
# Attached while it started: its script, a function "main", was entered before or after that.
[[ $(sum "$first" methods) = 100[01] ]] || fail "$(sum "$first" methods) calls, not 1000 and main"
expect_equal "$(sum "$first" exceptions)" 7
expect_equal "$(sum "$second" methods)" 300
