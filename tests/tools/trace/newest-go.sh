#!/bin/bash
# timeout: 400
# shares: sid
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/newer-go.bash"

# Programs built by Go 1.27, position-independent; values in interfaces also at a fixed address.
expect_newer_go sid 1.27 -buildmode=pie
build_newer_go sid 1.27 "$T/interfaces" interfaces.go
expect_values "$T/interfaces"
