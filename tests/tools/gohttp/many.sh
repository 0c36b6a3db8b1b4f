#!/bin/bash
# shares: http
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/gohttp.bash"

# 10,000 requests in progress at the same time, while the garbage collector runs often: each is
# shown once, and the program behaves as without the tool.
export GOGC=20
for side in '' --server; do
	run "$BIN/gohttp" --json ${side:+"$side"} -- "$program" many 10000
	expect_status 0
	expect_equal "$(cat "$tool_err")" 'done' # the program's own output
	expect_equal "$(numbers "$tool_out")" "$(seq 0 9999)"
	expect_no_line '^[^{]' "$tool_out"
done
