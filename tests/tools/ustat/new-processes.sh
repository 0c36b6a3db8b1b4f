#!/bin/bash
# alone: short-lived PHP processes of other tests would also be counted as missed
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/ustat.bash"

# Processes that start later: the first one with its runtime is found. PHP may copy its code while
# it starts: a process that ends at once gets no probes, and is counted as missed.
need_php
need_command jq
write_programs
run_tool ustat --json -i 0.1 -l php
start_program php env USE_ZEND_DTRACE=1 "${php_program[@]}" "$T/octi.php"
wait_for_probes "$target_pid"
proceed php
wait_for "grep -q done '$target_out'" 60
first=$target_pid
start_ /dev/null /dev/null env USE_ZEND_DTRACE=1 "${php_program[@]}" -r 'function fest() {} for ($i = 0; $i < 300; $i++) fest();'
wait_for "! alive $pid" 20
stop_tool INT
expect_status 0
expect_equal "$(sum "$first" methods)" 1000
expect_equal "$(sum "$first" exceptions)" 7
expect_line '^ustat: 1 program ended before it could be probed ' "$tool_err"
expect_equal "$(jq 'select(.type == "missed") | .programs' "$tool_out")" 1
