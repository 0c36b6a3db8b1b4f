#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/gohttp.bash"

# Every request that a program serves, once, by HTTP/1 and HTTP/2. A handler that panics does not return.
served='GET 200 5 /
GET 302 36 /old
GET 200 5 /new
GET 404 19 /missing
GET 418 0 /teapot
GET 200 5 /a/b
POST 200 5 /post
GET 200 0 /slow'
run "$BIN/gohttp" --server --json -- "$program"
expect_status 0
expect_line '^done$' "$tool_out"
# The last ones may still be under way when the program ends.
first=$(requests "$tool_out" | sed -n '/slow/q; p')
expect_equal "$first" "${served%$'\n'*}"
expect_equal "$(requests "$tool_out" | sed '1,/slow/d; /slow/d')" "$first"
expect_equal "$(sed -n 's/.*"status":200,.*"path":"\/n\/\([0-9]*\)".*/\1/p' "$tool_out" | sort -n)" "$(seq 0 399)"

# A process that runs: by its id, until the tool or the process ends.
start_target_and_wait "$program" serve
url=$(<"$target_out")
run_tool gohttp --server -p "$target_pid"
"$program" get "$url/one" "$url/missing" "$url/two"
stop_tool INT
expect_status 0
expect_equal "$(awk 'NR > 1 { print $3, $5, $6, $9 }' "$tool_out")" "web GET 200 ${url#http://}/one
web GET 404 ${url#http://}/missing
web GET 200 ${url#http://}/two"

run_tool gohttp --server "$program"
"$program" get "$url/three"
stop_target
stop_tool TERM
expect_status 0
expect_line ' GET +200 .*/three$' "$tool_out"
