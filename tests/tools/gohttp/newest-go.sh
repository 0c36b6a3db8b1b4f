#!/bin/bash
# timeout: 600
# shares: sid
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/gohttp.bash"

# A stripped, position-independent program from Go 1.27, whose HTTP/2 has its own package.
build_newer_go sid 1.27 "$program" web.go -ldflags '-s -w' -buildmode=pie
expect_client "$program"
expect_server "$program"
expect_traced "$program" /traced/
run "$BIN/gohttp" --json -- "$program" errors
expect_count 9 '"error":"[^"]+ [^"]+"' "$tool_out"
