#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# $COMM, $PID and the other builtins, in BCC's spelling and in trace's.
flood=$TARGETS/flood
start_target_and_wait "$flood" 1 1000000 2
run_tool argdist -i 0.1 -n 1 -C "p:$flood:flood():char*,int:\$COMM,\$PID" -C "p:$flood:flood():char*,int,u32:\$comm,\$pid,\$uid" -p "$target_pid"
stop_tool
expect_status 0
expect_line "^	[0-9]+ +\\\$COMM = flood, \\\$PID = $target_pid$" "$tool_out"
expect_line "^	[0-9]+ +\\\$comm = flood, \\\$pid = $target_pid, \\\$uid = $(id -u)$" "$tool_out"
