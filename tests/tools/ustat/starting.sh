#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/ustat.bash"

# A process that is found before its interpreter or JVM has read its options.
need_php
need_command jq
[ -z "$php_root" ] || skip 'on this machine, PHP with probes of functions runs in its own root'
write_programs
mkfifo "$T/lines"
exec {lines}<>"$T/lines"
USE_ZEND_DTRACE=1 stdin=$T/lines start_target "$TARGETS/starting" "$php_path" "$T/octi.php"
wait_for "[ -s '$target_err' ]" 10
php=$(<"$target_err")
wait_for "grep -q '^State:.*T ' /proc/$php/status" 10
run_tool ustat --json -i 0.1 -p "$php"
kill -CONT "$php"
wait_for_probes "$php"
printf '\n' >&"$lines"
wait_for "grep -q done '$target_out'" 20
stop_tool INT
expect_status 0
expect_equal "$(sum "$php" methods)" 1000
expect_equal "$(sum "$php" exceptions)" 7
