#!/bin/bash
# ring: first
# alone: it counts the starts and ends of all processes named values
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# Tracepoints: their fields as keys, strings in them, and histograms.
gather "$TARGETS/values" -- -C 't:sched:sched_process_exec():char*:args->filename:$comm == "values"' \
	-C 't:sched:sched_process_exit():char*,char*:args->comm,$comm:args->comm == "values"' \
	-H 't:syscalls:sys_enter_munmap():size_t:args->len:$comm == "values" && args->len == 4096' \
	-C 't:sched:sched_process_exit()#exits'
expect_line "^	1 +args->filename = $TARGETS/values$" "$tool_out"
expect_line '^	1 +args->comm = values, \$comm = values$' "$tool_out"
expect_line '^ +4096 -> 8191 +: 1 ' "$tool_out"
expect_line '^	[0-9]+ +total calls$' "$tool_out"
