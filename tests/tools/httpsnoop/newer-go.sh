#!/bin/bash
# timeout: 400
# shares: http sid
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/tls-go.bash"

# TLS in a program built by Go 1.27.
build_newer_go sid 1.27 "$T/tls" tls.go
expect_requests "$T/tls" 1.1
expect_requests "$T/tls" 2
