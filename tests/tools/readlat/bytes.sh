#!/bin/bash
# ring: first
# shares: reads
source "$(dirname "$0")/../../lib.sh"

# --bytes: how many bytes were read; failed calls only with -f, and separately.
run_tool readlat --bytes --comm reads
"$TARGETS/reads" read:7 directory:3 waiting:2 >"$T/out"
stop_tool INT
expect_status 0
expect_line '^ +64 -> 127 +: 7 ' "$tool_out"
expect_line '^avg = 78 bytes, total: 702 bytes, count: 9$' "$tool_out"
expect_line '^p50 100  .*max 100$' "$tool_out"

run_tool readlat --bytes -f --comm reads
"$TARGETS/reads" read:7 directory:3 >"$T/out"
stop_tool INT
expect_line '^ +-inf -> -1 +: 3 ' "$tool_out"
expect_line 'count: 7$' "$tool_out"
