#!/bin/bash
# shares: reads
source "$(dirname "$0")/../../lib.sh"

# -i shows what was added since the last interval, so that the sum is the total; -n and -d end the
# run.
mkfifo "$T/go"
exec 7<>"$T/go"
stdin=$T/go start_target_and_wait "$TARGETS/reads" wait read:40000 waiting:5 read:40000 waiting:5 read:30000
run_tool readlat -i 0.05 -T -p "$target_pid"
echo >&7
stop_tool # it ends with the process
expect_status 0
expect_equal "$(awk '/^avg/ { sum += $NF } END { print sum }' "$tool_out")" 110010
[ "$(grep -c '^avg' "$tool_out")" -ge 2 ] || fail 'there is only one interval'
expect_line '^\[[0-9]{2}:[0-9]{2}:[0-9]{2}\]$' "$tool_out"

run "$BIN/readlat" -i 0.05 -n 3 -T --comm nobody
expect_status 0
expect_count 3 '^\[' "$tool_out"
expect_count 3 '' "$tool_out"

run "$BIN/readlat" -d 0.1 -T --comm nobody
expect_status 0
expect_count 1 '' "$tool_out"
