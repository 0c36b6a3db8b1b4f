#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../go.bash"

# Go programs whose requests cannot be traced are refused.
build_go "$T/server" server.go
expect_refusal 1 '.* has no function net/http.*Transport.*: it does not use net/http' gohttp "$T/server"
objcopy -O binary --only-section=.go.buildinfo "$T/server" "$T/info"
sed 's/go1\.[0-9]*/go1.14/' "$T/info" >"$T/old" && truncate -s "$(stat -c %s "$T/info")" "$T/old"
objcopy --update-section .go.buildinfo="$T/old" "$T/server" "$T/old-program"
expect_refusal 1 '.*old-program was built with Go 1\.14; reading requests needs Go 1\.15 or newer' gohttp "$T/old-program"
