#!/bin/bash
# timeout: 400
# shares: bullseye
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/gohttp.bash"

# A stripped program from Go 1.15: arguments are on the stack, and type descriptions have an older
# format.
build_newer_go bullseye 1.15 "$program" web.go -ldflags '-s -w'
expect_client "$program"
expect_server "$program"
expect_traced "$program"
run "$BIN/gohttp" --json -- "$program" errors
expect_count 9 '"error":"[^"]+ [^"]+"' "$tool_out"
