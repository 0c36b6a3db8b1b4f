#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/gohttp.bash"

# Shows each request that a program makes, once.
expect_client "$program"

# The same without symbols and debug information, and while the garbage collector runs all the time.
strip "$program"
export GOGC=1
expect_client "$program"

run "$BIN/gohttp" -- "$program"
expect_status 0
expect_line '^TIME +PID +COMM +GOID +METHOD +STATUS +LATENCY +BYTES URL$' "$tool_out"
expect_line '^[0-9:]{8}\.[0-9]{6} +[0-9]+ +web +1 +GET +302 +[0-9.]+[num]?s +36 http://127\.0\.0\.1:[0-9]+/old$' "$tool_out"
expect_line ' GET +- +[0-9.]+[num]?s +- http://127\.0\.0\.1:1/refused \(dial tcp: connect: connection refused\)$' "$tool_out"
