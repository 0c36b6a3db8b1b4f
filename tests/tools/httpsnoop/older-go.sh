#!/bin/bash
# timeout: 400
# shares: bullseye http
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/tls-go.bash"

# TLS in a program built by Go 1.15, where arguments are on the stack.
build_newer_go bullseye 1.15 "$T/tls" tls.go
expect_requests "$T/tls" 1.1
expect_requests "$T/tls" 2
