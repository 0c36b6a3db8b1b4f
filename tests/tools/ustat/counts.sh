#!/bin/bash
# ring: first
# shares: ustat
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/ustat.bash"

# Exact counts for programs in four languages: the intervals add up to what the programs did.
need_php
need_ruby
need_command java javac jq
need_python_3_11
write_programs
javac -d "$T" "$T/Octi.java"
declare -A pids outs
start() { # NAME CMD…
	start_program "$@"
	pids[$1]=$target_pid outs[$1]=$target_out
}
start ruby "${ruby_program[@]}" "$T/octi.rb"
start php env USE_ZEND_DTRACE=1 "${php_program[@]}" "$T/octi.php"
start python "${python_program[@]}" "$T/octi.py"
start java java -XX:+UseSerialGC -XX:+DTraceAllocProbes -cp "$T" Octi
run_tool ustat --json -i 0.1
for name in "${!pids[@]}"; do
	proceed "$name"
	wait_for "grep -q done '${outs[$name]}'" 60
done
stop_tool INT
expect_status 0
# The tool traces all programs of the machine: others may come and go. These four stay.
expect_equal "$(grep -v '^ustat: [0-9]* programs\? ended before .* could be probed (docs/safety.md)$' "$tool_err")" ''

ruby=${pids[ruby]} php=${pids[php]} python=${pids[python]} java=${pids[java]}
expect_equal "ruby $(sum "$ruby" methods)" 'ruby 1000'
expect_equal "ruby $(sum "$ruby" objects | xargs -I{} test {} -ge 507 && echo 507)" 'ruby 507'
expect_equal "ruby $(sum "$ruby" exceptions)" 'ruby 7'
expect_equal "php $(sum "$php" methods)" 'php 1000'
expect_equal "php $(sum "$php" exceptions)" 'php 7'
expect_equal "python $(sum "$python" gcs)" 'python 9'
expect_equal "java $(sum "$java" gcs)" 'java 3'
expect_equal "java $(sum "$java" threads)" 'java 5'
# The sizes that Java 17 reports are wrong.
[ "$(sum "$java" objects)" -gt 0 ] || fail 'no object was counted'
! is_java_17 || expect_equal "java $(sum "$java" bytes)" 'java null'
# Collections take time; values that a runtime does not report are unknown, not 0.
[ "$(sum "$java" gc_ns)" -gt 0 ] || fail 'collections took no time'
expect_equal "$(sum "$python" methods) $(sum "$php" gcs)" "null 0"
expect_equal "$(jq -s "map(select(.pid == $python))[0].language" "$tool_out")" '"python"'
