#!/bin/bash
# alone: short-lived PHP processes of other tests would be reported as missed
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/ustat.bash"

# A program that goes into the background as it starts: it ends while it waits for its probes (PHP
# may copy its code until it has started), and the process that it has forked gets them.
need_php
need_command jq
cat >"$T/later.php" <<'PHP'
<?php
function fest() { return 1; }
if (pcntl_fork()) exit;
if (pcntl_fork()) exit;
file_put_contents("$argv[1].new", getmypid());
rename("$argv[1].new", $argv[1]);
while (!file_exists("$argv[1].go")) usleep(20000);
for ($i = 0; $i < 1000; $i++) fest();
file_put_contents("$argv[1].done", "");
while (true) usleep(20000);
PHP
start_later() { # FILE; sets later
	env USE_ZEND_DTRACE=1 "${php_program[@]}" "$T/later.php" "$1" >"$1.log" 2>&1
	wait_for "[ -s '$1' ]" 20
	later=$(<"$1")
	at_exit "kill $later"
}

run_tool ustat --json -i 0.1 -l php
start_later "$T/one"
one=$later
kill -STOP "$tool_pid" # so that it finds the first process only after that has ended
start_later "$T/two"
two=$later
kill -CONT "$tool_pid"
for pid in "$one" "$two"; do
	wait_for_probes "$pid"
done
touch "$T/one.go" "$T/two.go"
wait_for "[ -e '$T/one.done' ] && [ -e '$T/two.done' ]" 20
stop_tool INT
expect_status 0
expect_equal "$(sum "$one" methods)" 1000
expect_equal "$(sum "$two" methods)" 1000
expect_no_line . "$tool_err"
