#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# An unsupported version of PHP (the machine's own with a changed version string): the tool reports
# once that its functions are missing in the stacks, also if it starts later.
need_php
sed 's|X-Powered-By: PHP/8\.|X-Powered-By: PHP/9.|' "$php_path" >"$T/php9.1"
chmod +x "$T/php9.1"
cat >"$T/sleeps.php" <<'PHP'
<?php
function sleeps() { usleep(20000); }
echo "ready\n";
for (;;) sleeps();
PHP
note="$T/php9\.1 is a build of PHP 9\.[0-9.]+ whose functions are not known here: stacks show the interpreter's C functions instead\$"
start_target_and_wait "$T/php9.1" -n "$T/sleeps.php"
for tool in 'stackcount -U -f' 'trace -U'; do
	# shellcheck disable=SC2086 # a tool with its options
	run_tool $tool -p "$target_pid" t:syscalls:sys_enter_clock_nanosleep
	stop_tool INT
	expect_status 0
	expect_count 1 "$note" "$tool_err"
done
run_tool stackcount -U -f --native -p "$target_pid" t:syscalls:sys_enter_clock_nanosleep
stop_tool INT
expect_no_line 'not known here' "$tool_err"
stop_target

run_tool stackcount -U -f --comm php9.1 t:syscalls:sys_enter_clock_nanosleep
start_target_and_wait "$T/php9.1" -n "$T/sleeps.php"
wait_for "grep -q 'not known here' '$tool_err'" 20
stop_tool INT
expect_count 1 "$note" "$tool_err"
