#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/ustat.bash"
source "$ROOT/tests/otlp/otlp.bash"

# Totals of processes for scrapes and a collector, beside the rows; they end with the process.
need_php
need_command curl jq
write_programs
start_collector
start_program php env USE_ZEND_DTRACE=1 "${php_program[@]}" "$T/octi.php"
php=$target_pid
port=$(free_port)
run_tool ustat -l php -i 0.2 --json --prometheus "127.0.0.1:$port" --otlp-metrics "$collector"
proceed php
wait_for "grep -q done '$target_out'" 60
scrape() { curl -s --max-time 10 "http://127.0.0.1:$port/metrics" >"$T/scraped"; }
series="uscope_method_calls_total{pid=\"$php\",language=\"php\",command=\"$php_name $T/octi.php\"} 1000"
wait_for "scrape && grep -qF '$series' '$T/scraped'" 20
expect_equal "$(jq -s 'map(.methods // 0) | add' "$tool_out")" 1000
end_program() { kill "$php" && wait "$php" || true; }
end_program
wait_for "scrape && ! grep -q 'pid=\"$php\"' '$T/scraped'" 20
stop_tool INT
expect_status 0
expect_refusal 2 '--openmetrics and --prometheus exclude each other' ustat --openmetrics "$T/a" --prometheus "$T/b"
