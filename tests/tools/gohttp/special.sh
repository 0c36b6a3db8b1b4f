#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/gohttp.bash"

# Paths are shown as sent; responses that are broken off or not written by net/http; HEAD has no
# body.
run "$BIN/gohttp" --json -- "$program" special
expect_status 0
both='GET 200 5 /a%2Fb/c%20d
GET 200  /half
GET 500 0 /recovered
GET   /goexit ERROR
GET 200 6 /rewritten
HEAD 200 0 /head'
expect_equal "$(requests "$tool_out" | sed 's/goexit .*/goexit ERROR/')" "$both
GET 101 0 /hijack
$both"

# The server's side. The client may have repeated the request whose handler panics.
run "$BIN/gohttp" --server --json -- "$program" special
expect_status 0
both='GET 200 5 /a%2Fb/c%20d
GET 200 4 /half panic
GET 500 0 /recovered
GET   /goexit panic
GET 200 6 /rewritten
HEAD 200 0 /head'
expect_equal "$(requests "$tool_out" | sed '/hijack/q' | uniq)" "$both
GET   /hijack"
expect_equal "$(requests "$tool_out" | sed '1,/hijack/d' | sort)" "$(sort <<<"$both")"
expect_count 1 '"hijacked":true,.*"path":"/hijack"' "$tool_out"

run "$BIN/gohttp" --server -- "$program" special
expect_line ' GET +hijack +[0-9.]+[num]?s +- 127\.0\.0\.1:[0-9]+/hijack$' "$tool_out"
expect_line ' GET +200 +[0-9.]+[num]?s +4 127\.0\.0\.1:[0-9]+/half \(panic\)$' "$tool_out"
expect_line ' GET +- +[0-9.]+[num]?s +- 127\.0\.0\.1:[0-9]+/goexit \(panic\)$' "$tool_out"

run "$BIN/gohttp" --server --status error --summary -- "$program" special
expect_line '^ +1 +1 .*:[0-9]+/half$' "$tool_out"
expect_no_line recovered "$tool_out"
