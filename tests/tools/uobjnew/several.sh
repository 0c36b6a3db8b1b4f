#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../language.bash"

# Two programs that share the C library: each block is counted once.
start_target "$TARGETS/demo"
other=$target_pid
start_worker "$TARGETS/allocate"
run_tool uobjnew -l c -p "$target_pid" -p "$other"
work x
stop_tool INT
expect_status 0
expect_line '^calloc: block size 1001 +11 +11011$' "$tool_out"
expect_line '^posix_memalign: block size 1004 +13 +13052$' "$tool_out"
