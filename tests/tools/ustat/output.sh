#!/bin/bash
# shares: ustat
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/ustat.bash"

# BCC's format: plain rows in a file, updated in place on a terminal; INTERVAL and COUNT as
# arguments; -S and -r.
need_php
need_command script jq
write_programs
start_program idle env USE_ZEND_DTRACE=1 "${php_program[@]}" "$T/octi.php"
idle=$target_pid
start_target_and_wait env USE_ZEND_DTRACE=1 "${php_program[@]}" -r 'function f() {} echo "ready\n"; while (true) f();'
busy=$target_pid
wait_for "[ \"\$(cut -d ' ' -f 14 /proc/$busy/stat)\" -ge 60 ]" 20 # busy for 0.6 s: it has started

run timeout 20 "$BIN/ustat" -l php -p "$idle" -p "$busy" -S method 0.2 2
expect_status 0
expect_equal "$(cat "$tool_announced")" 'Tracing the runtimes of languages … Press Ctrl-C to end.'
expect_count 2 '^[0-9]{2}:[0-9]{2}:[0-9]{2} loadavg: [0-9.]+ ' "$tool_out"
expect_count 2 '^PID    CMDLINE              METHOD/s   GC/s   OBJNEW/s   CLOAD/s  EXC/s  THR/s  GC%    BYTES/s$' \
	"$tool_out"
expect_equal "$(awk '$1 ~ /^[0-9]+$/ { print $1 }' "$tool_out" | tail -n 2 | xargs)" "$busy $idle"
expect_line "^$idle +$php_name .* 0 +0 +- +0 +0 +- +0\.0 +-$" "$tool_out"
expect_no_line $'\x1b' "$tool_out"

# A user without processes has no rows. (Programs of other tests that end at once are "missed",
# whatever their user.)
run timeout 20 "$BIN/ustat" --json --uid 12345 0.2 1
expect_status 0
expect_equal "$(jq -c 'select(.type != "missed")' "$tool_out")" ''

run timeout 20 "$BIN/ustat" -p "$idle" -p "$busy" -r 1 0.2 1
expect_count 1 '^[0-9]+ +php8' "$tool_out"

terminal() { TERM=xterm script -qec "stty rows ${rows-24}; $BIN/ustat -p $idle -p $busy $* 0.1 2" /dev/null; }
run terminal
expect_line $'\x1b\\[H[0-9:]{8} loadavg' "$tool_out"
rows=5 run terminal
# Until there is a note above the keys, there is room for both, then for one in each of the two
# intervals; at the end, both remain.
expect_count 6 '^[0-9]+ +php8' "$tool_out"
NO_COLOR=1 run terminal -C
expect_no_line $'\x1b' "$tool_out"
