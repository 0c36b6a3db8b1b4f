#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/gohttp.bash"

# Requests without a response show the same error as the program itself, except addresses and
# details.
run "$BIN/gohttp" --json -- "$program" errors
expect_status 0
shown=$(sed -n '/^\//p' "$tool_err" | sed 's/ 127\.0\.0\.1:1:/:/; s/; received from peer//; s/ name\.invalid on [^ ]*:/:/
	s/no-tls .*/no-tls tls: first record does not look like a TLS handshake/') # http.Client explains it
sed -i 's/\\"/`/g' "$tool_out"
expect_equal "$(requests "$tool_out" | sed 's/^GET *//; s/`/"/g')" "$shown"
expect_count 9 '"error":' "$tool_out"
