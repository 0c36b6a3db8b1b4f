#!/bin/bash
# shares: http
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/ustat.bash"

# Totals in a file that node_exporter reads, and never finds incomplete.
need_php
need_command prometheus-node-exporter curl
write_programs
mkdir "$T/metrics"
start_program php env USE_ZEND_DTRACE=1 "${php_program[@]}" "$T/octi.php"
php=$target_pid
run_tool ustat -p "$php" -i 0.1 --openmetrics "$T/metrics/ustat.prom"
proceed php
wait_for "grep -q done '$target_out'" 60
series="uscope_method_calls_total{pid=\"$php\",language=\"php\",command=\"$php_name $T/octi.php\"} 1000"
wait_for "grep -qF '$series' '$T/metrics/ustat.prom'" 20

free_port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
start_ "$T/exporter.log" "$T/exporter.log" prometheus-node-exporter --collector.disable-defaults --collector.textfile \
	--collector.textfile.directory="$T/metrics" --web.listen-address="127.0.0.1:$free_port"
wait_for "curl -sf 'http://127.0.0.1:$free_port/metrics' >'$T/scraped'" 30
expect_line '^node_textfile_scrape_error 0$' "$T/scraped"
expect_line "^uscope_method_calls_total\{command=\"$php_name .*octi\.php\",language=\"php\",pid=\"$php\"\} 1000$" "$T/scraped"
expect_line "^uscope_exceptions_total\{.*pid=\"$php\"\} 7$" "$T/scraped"
expect_line "^uscope_collections_total\{.*pid=\"$php\"\} 0$" "$T/scraped"
for metric in method_calls collections exceptions; do
	expect_line "^# TYPE uscope_${metric}_total counter$" "$T/scraped"
	expect_line "^# HELP uscope_${metric}_total [A-Z]" "$T/scraped"
done
expect_no_line '^# TYPE uscope_.* untyped' "$T/scraped"
expect_no_line 'uscope_objects_allocated_total' "$T/scraped" # PHP does not report them

stop_tool TERM
expect_status 0
expect_equal "$(ls "$T/metrics")" ustat.prom
expect_equal "$(cat "$tool_out")" ''

# With any other name, the file has the OpenMetrics format.
run "$BIN/ustat" -p "$php" -n 1 -i 0.1 --openmetrics "$T/metrics/ustat.txt"
expect_status 0
expect_equal "$(tail -n 1 "$T/metrics/ustat.txt")" '# EOF'
expect_line '^# TYPE uscope_method_calls counter$' "$T/metrics/ustat.txt"

run timeout 20 "$BIN/ustat" -p "$php" --openmetrics "$T/no/such/ustat.prom" -i 0.1
expect_status 1
expect_line "^ustat: cannot write $T/no/such/ustat.prom" "$tool_err"

# Something other than a regular file is not replaced by one.
mkfifo "$T/fifo"
run timeout 5 "$BIN/ustat" --openmetrics "$T/fifo"
expect_status 1
expect_line 'fifo is not a regular file' "$tool_err"
[ -p "$T/fifo" ] || fail 'the fifo was replaced'
