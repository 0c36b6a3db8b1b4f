#!/bin/bash
# shares: ustat http
# timeout: 300
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/ustat.bash"

# The tool has probes only in the processes that it has examined. Programs that copy their code
# while they start, or read their files' code, behave as without the tool.
need_command jq node php valgrind
mkfifo "$T/idle"
# shellcheck disable=SC2034 # keeps it open, so that the programs wait
exec {idle}<>"$T/idle"
stdin=$T/idle start_target_and_wait node -e 'process.stdin.resume(); console.log("ready")'
node_pid=$target_pid
php=(php -d opcache.enable_cli=1 -d opcache.huge_code_pages=1)
python=$(readlink -f /usr/bin/python3)
stdin=$T/idle start_target_and_wait "$python" -c 'print("ready", flush=True); input()'
run_tool ustat --json -i 0.1
wait_for_probes "$node_pid"

expect_equal "$(node --use-largepages=silent -e 'let a = []; for (let i = 0; i < 3e5; i++) a.push({x: i}); console.log("whole")')" whole
# shellcheck disable=SC2016 # variables of PHP
expect_equal "$("${php[@]}" -r '$o = new stdClass; $o->o = $o; unset($o); gc_collect_cycles(); echo "whole";')" whole
expect_equal "$(valgrind -q "$python" -c 'import gc; gc.collect(); print("whole")')" whole
stop_tool INT
expect_status 0
expect_line '^ustat: skipped valgrind: ' "$tool_err"
