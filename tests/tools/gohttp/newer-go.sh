#!/bin/bash
# timeout: 900
# shares: packages
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/gohttp.bash"

# Stripped programs from newer Go versions: net/http's structures change, and HTTP/2 has its own
# package.
build_newer_go trixie 1.24 "$program" web.go -ldflags '-s -w'
expect_client "$program"
expect_server "$program"

build_newer_go sid 1.26 "$program" web.go -ldflags '-s -w'
expect_client "$program"
expect_server "$program"

build_newer_go sid 1.27 "$program" web.go -ldflags '-s -w' -buildmode=pie
expect_client "$program"
expect_server "$program"
run "$BIN/gohttp" --json -- "$program" errors
expect_count 9 '"error":"[^"]+ [^"]+"' "$tool_out"
