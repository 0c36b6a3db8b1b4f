#!/bin/bash
# ring: first
# shares: reads
source "$(dirname "$0")/../../lib.sh"

# Histograms of times and of bytes have the values of the rows, by their keys; each interval's are
# added up.
samples() { /usr/bin/python3 "$ROOT/tests/otlp/samples" "$@"; }
run_tool readlat --json -i 0.1 --by-call --by-type --comm reads --prometheus "$T/times.prom"
times_pid=$tool_pid times_out=$tool_out
run_tool readlat --json --bytes -f --comm reads --prometheus "$T/bytes.prom"
"$TARGETS/reads" read:301 pread64:40 directory:3 waiting:2 >"$T/out"
stop_tool INT
expect_status 0
bytes_out=$tool_out
tool_pid=$times_pid
stop_tool INT
expect_status 0
expect_equal "$(awk '/_count\{/ { sum += $NF } END { print sum }' "$T/times.prom")" 343
[ "$(samples uscope_read_duration_seconds "$T/times.prom" "$times_out" comm=comm call=call type=type)" -ge 2 ] || fail 'too few series'

# Failed reads returned less than 0: the sum of all values is unknown.
expect_line '^uscope_read_size_bytes_bucket\{comm="reads",le="-1"\} 3$' "$T/bytes.prom"
expect_line '^uscope_read_size_bytes_sum\{comm="reads"\} NaN$' "$T/bytes.prom"
sed -i 's/NaN/'"$(sed -n 's/.*"sum":\([0-9]*\),.*/\1/p' "$bytes_out")/" "$T/bytes.prom"
expect_equal "$(samples uscope_read_size_bytes "$T/bytes.prom" "$bytes_out" comm=comm)" 1
