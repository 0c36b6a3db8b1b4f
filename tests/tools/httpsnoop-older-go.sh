#!/bin/bash
# timeout: 400
# shares: http packages
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/httpsnoop-go.bash"

# The TLS of a program that Go 1.15 has built, whose functions have their arguments on the stack.
build_newer_go bullseye 1.15 "$T/tls" tls.go
expect_requests "$T/tls" 1.1
expect_requests "$T/tls" 2
