#!/bin/bash
# timeout: 600
# shares: sid
# run: when named
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/gohttp.bash"

# A stripped program from Go 1.26: `make versions` runs this.
build_newer_go sid 1.26 "$program" web.go -ldflags '-s -w'
expect_client "$program"
expect_server "$program"
