#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# -p, -t and --comm select processes and threads; each specifier of a run counts separately.
flood=$TARGETS/flood
start_target_and_wait "$flood" 1 1000000 5
run_tool argdist -i 0.05 -p "$target_pid" -C "p:$flood:flood():int:\$pid"
"$flood" 2 20 >"$T/out"
wait_for 'rows | grep -q .' 10
stop_tool INT
expect_equal "$(rows | awk '{ print $NF }' | sort -u)" "$target_pid"

run_tool argdist -i 1000 --comm other -C "p:$flood:flood()"
"$flood" 1 20 >"$T/out"
stop_tool INT
expect_line ': no event$' "$tool_err"
run_tool argdist -i 1000 -t "$target_pid" -C "p:$flood:flood()"
"$flood" 1 20 >"$T/out"
stop_tool INT
expect_line ': no event$' "$tool_err" # another thread makes the calls
