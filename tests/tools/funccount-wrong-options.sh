#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# Wrong options and patterns: said in one line before any place that is shown, and nothing is traced.
# privileges: none
refused() { # STATUS MESSAGE OPTION…
	local status=$1 message=$2
	shift 2
	run timeout 5 "$BIN/funccount" "$@"
	expect_status "$status"
	expect_equal "$(cat "$tool_out")" ''
	expect_equal "$* $(grep -c '^funccount: ' "$tool_err")" "$* 1"
	expect_line "^funccount: $message" "$tool_err"
}
refused 2 'a pattern is required'
refused 2 '.*--help' --no-such-option c:read
refused 2 '--top 0' --top 0 c:read
refused 2 '--keys 0' --keys 0 c:read
refused 2 'there is no CPU 99999: ' -c 99999 c:read
refused 2 '-n .* give -i' -n 3 c:read
refused 2 '-i takes' -i 0 c:read
refused 2 '.*-F' -F c:read
refused 2 '.*leave the r: away' r:c:read
refused 2 '.*is no extended regular expression' -r 'c:^(read'
refused 2 'a regular expression is missing' -r c:
refused 2 '.*list of parameters has no use' 'c:read(int fd)'
refused 1 'No functions matched by pattern c:mallox: .*did you mean malloc' c:mallox
refused 1 'No functions matched by pattern c:no_such\*: ' 'c:no_such*'
refused 1 'No functions matched by pattern c:no_such_.\*: ' -r 'c:no_such_.*'
