#!/bin/bash
# timeout: 400
# shares: trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/newer-go.bash"

# Programs built by Go 1.24, at a fixed address.
expect_newer_go trixie 1.24
