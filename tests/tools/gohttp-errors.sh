#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/gohttp.bash"

# Requests that get no answer say why, as the program itself does, but for addresses and details.
run "$BIN/gohttp" --json -- "$program" errors
expect_status 0
said=$(sed -n '/^\//p' "$tool_out" | sed 's/ 127\.0\.0\.1:1:/:/; s/; received from peer//; s/ name\.invalid on [^ ]*:/:/
	s/no-tls .*/no-tls tls: first record does not look like a TLS handshake/') # which http.Client then explains
sed -i 's/\\"/`/g' "$tool_out"
expect_equal "$(requests "$tool_out" | sed 's/^GET *//; s/`/"/g')" "$said"
expect_count 9 '"error":' "$tool_out"
