#!/bin/bash
# shares: trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# A Node.js without probes, in a container: a probe on V8's own function reports each collection and
# its kind.
debian_root trixie nodejs
start_worker_there work.js node --expose-gc
run_tool ugc "$target_pid"
work collect scavenge
wait_for "[ \$(grep -c 'GC scavenge' '$tool_out') -ge 4 ]" 20
stop_tool INT
expect_status 0
expect_equal "$(grep -cE '^[0-9:.]+ +[0-9.]+[num]?s +GC mark-sweep-compact$' "$tool_out")" 3
expect_equal "$(grep -cE '^[0-9:.]+ +[0-9.]+[num]?s +GC scavenge$' "$tool_out")" 4
expect_line '^total +7 ' "$tool_out"

# Node.js reports nothing but collections: the other tools say so.
run "$BIN/ucalls" "$target_pid"
expect_status 1
expect_line '\(node\): Node\.js reports collections only, and JavaScript cannot be probed' "$tool_err"
