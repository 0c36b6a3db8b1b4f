#!/bin/bash
# timeout: 200
# shares: postgres
source "$(dirname "$0")/../../lib.sh"

# 20,000 backends are started and killed one after another: the tool shows all their statements, and
# also all those that are executed afterwards.
mkfifo "$T/input"
exec 8<>"$T/input"
stdin=$T/input start_target_and_wait "$TARGETS/postgres" 5000
run_tool dbslower postgres -m 0 --json --buffer 64M -x "$TARGETS/postgres"
echo >&8
wait_for "grep -q done '$target_out'" 60
before=$(kernel_bytes)
for round in 2 3 4; do
	echo >&8
	wait_for "[ \"\$(grep -c done '$target_out')\" = $round ]" 60
done
expect_flat "$before"
stop_tool INT
expect_status 0
expect_count 0 '"lost"' "$tool_out"
expect_count $((20000 + 4 * 2)) '"kind":"query","database":"shop","user":"app","query":"select 1"}' "$tool_out"
