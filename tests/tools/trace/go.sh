#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# Go functions and methods by their names.
source "$(dirname "$0")/../go.bash"
program=$T/server
build_go "$program" server.go
run "$BIN/trace" "p:$program:main.(*Server).Do" "$program:main.Server.Count" "$program:main.main.func1" --exec -- "$program"
expect_status 0
expect_equal "$(awk '$3 == "server" { print $4 }' "$tool_out" | sort | uniq -c | xargs)" \
	'3 main.(*Server).Do 1 main.Server.Count 3 main.main.func1'
expect_line '^6$' "$tool_err"

run "$BIN/trace" "$program:main.(*Server).Dont" --exec -- "$program"
expect_status 1
expect_line "no function 'main.*Dont'.*did you mean.*main\\.\\(\\*Server\\)\\.Do" "$tool_err"
