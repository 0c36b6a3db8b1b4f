#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# Wrong options and patterns: said in one line before any place that is shown, and nothing is traced.
# privileges: none
refused() { # STATUS MESSAGE OPTION…
	local status=$1 message=$2
	shift 2
	run timeout 5 "$BIN/funclatency" "$@"
	expect_status "$status"
	expect_equal "$(cat "$tool_out")" ''
	expect_equal "$* $(grep -c '^funclatency: ' "$tool_err")" "$* 1"
	expect_line "^funclatency: $message" "$tool_err"
}
refused 2 'a pattern is required'
refused 2 '.*--help' --no-such-option c:read
refused 2 '-u and -m' -u -m c:read
refused 2 '-l takes' -l 0 c:read
refused 2 '-l takes' -l 17 c:read
refused 2 '--top 0' --top 0 c:read
refused 2 '--keys 0' --keys 0 c:read
refused 2 '--heatmap is one' --heatmap -F c:read
refused 2 '--heatmap is one' --heatmap --json c:read
refused 2 '--follow-forks' --follow-forks c:read
refused 2 'only functions take time' t:sched:sched_switch
refused 2 'only functions take time' u:c:setjmp
refused 2 'a call begins at the start' c:read+4
refused 2 '.*is no extended regular expression' -r 'c:(read'
refused 1 '0 functions matched by "c:mallox": .*did you mean malloc' c:mallox
refused 1 '0 functions matched by "c:no_such\*": ' 'c:no_such*'
