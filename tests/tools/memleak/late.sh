#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# While the tool gets no CPU time (here it is stopped), it cannot give unwind rules to the kernel
# side. So each stack walk lacks a rule, and waits in a buffer until the tool completes it. Blocks
# with the same stack share one such walk, so that the walks for all blocks fit into the buffer.
start_worker "$TARGETS/leaks"
run_tool memleak --json -p "$target_pid" -o 0 -T 100 100
kill -STOP "$tool_pid"
work keep drop keep
kill -CONT "$tool_pid"
stop_tool INT
expect_status 0
expect_no_line 'not walked' "$tool_out"
expect_line '"bytes":10010,"count":10,.*"keep_malloc\(\)\+0x[0-9a-f]+","main\+' "$tool_out"
expect_equal "$(grep -o '"count":[0-9]*' "$tool_out" | awk -F : '{ sum += $2 } END { print sum }')" 140
