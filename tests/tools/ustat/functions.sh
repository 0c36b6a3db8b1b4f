#!/bin/bash
# shares: trixie ustat
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"
source "$(dirname "$0")/ustat.bash"

# A PHP without probes: its exceptions and collections are counted nevertheless, with functions that
# it exports.
need_command jq
debian_root trixie ruby3.3 php8.4-cli
start_worker_there work.php php8.4
run_tool ustat --json -i 0.1
work throw collect calls
wait_for "[ \"\$(jq -s 'map(select(.pid == $target_pid) | .gcs) | add' '$tool_out')\" = 3 ]" 20
stop_tool INT
expect_status 0
expect_equal "$(sum "$target_pid" exceptions)" 20
expect_equal "$(sum "$target_pid" methods)" null
