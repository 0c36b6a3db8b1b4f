#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Shows each call of Go functions once, with its arguments.
source "$(dirname "$0")/../go.bash"
program=$T/server
build_go "$program" server.go

# One event per call, even if the stack has to grow first.
run "$BIN/trace" "$program:main.deep" --exec -- "$program"
expect_status 0
expect_equal "$(grep -c ' main\.deep *n=[0-9]*$' "$tool_out")" 6003

# The receiver is the first argument.
run "$BIN/trace" "$program:main.(*Server).Do \"%d %s %d\", arg1 == s, str(arg2, arg3), n" --exec -- "$program"
expect_status 0
expect_equal "$(awk '$4 == "main.(*Server).Do" { print $5, $6, $7 }' "$tool_out" | xargs)" '1 x 1 1 xx 2 1 xxx 3'
