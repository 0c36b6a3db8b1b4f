#!/bin/bash
# timeout: 400
# shares: trixie
# run: when named
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/newer-go.bash"

# Position-independent programs built by Go 1.24: `make versions` runs this.
expect_newer_go trixie 1.24 -buildmode=pie
