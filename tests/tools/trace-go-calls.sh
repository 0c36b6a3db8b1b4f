#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# Calls of Go functions: each once, with their arguments.
need_command go
export GO111MODULE=off GOCACHE=$T/cache GOPATH=$T/go
program=$T/server
(cd "$T" && go build -o "$program" "$ROOT/tests/targets/scripts/server.go")

# One event a call, also where the stack has to grow first.
run "$BIN/trace" "$program:main.deep" --exec -- "$program"
expect_status 0
expect_equal "$(grep -c ' main\.deep *$' "$tool_out")" 6003

# The arguments are not where C has them: said, rather than showing other registers.
run "$BIN/trace" "$program:main.(*Server).Do \"%d\" arg1" --exec -- "$program"
expect_status 2
expect_line '^trace: the arguments of Go functions are not where those of C are' "$tool_err"
