#!/bin/bash
# shares: trixie ustat
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"
source "$(dirname "$0")/ustat.bash"

# A program in a container, with a runtime that the host may not have, is found and counted like any
# other.
need_command jq
debian_root trixie nodejs
start_worker_there work.js node --expose-gc
run_tool ustat --json -i 0.1
work collect
wait_for "[ \"\$(jq -s 'map(select(.pid == $target_pid) | .gcs) | add' '$tool_out')\" = 3 ]" 20
stop_tool INT
expect_status 0
expect_equal "$(jq -s "map(select(.pid == $target_pid))[0].language" "$tool_out")" '"node"'
[ "$(sum "$target_pid" gc_ns)" -gt 0 ] || fail 'collections took no time'
expect_equal "$(sum "$target_pid" methods)" null
