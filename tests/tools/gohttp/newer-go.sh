#!/bin/bash
# timeout: 600
# shares: trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/gohttp.bash"

# A stripped program from a newer Go version: net/http's structures change.
build_newer_go trixie 1.24 "$program" web.go -ldflags '-s -w'
expect_client "$program"
expect_server "$program"
expect_traced "$program" /traced/
