#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# A Go function that changes threads and whose stack moves: each call is timed once.
source "$(dirname "$0")/../go.bash"
program=$T/returns
build_go "$program" returns.go

run_tool funclatency -F "$program:main.(*Worker).Do" "$program:main.nap"
status=0
GOMAXPROCS=2 GOGC=1 "$program" >"$T/out" || status=$?
stop_tool INT
expect_status 0
expect_equal "$status" 3
grep -qx 'total 539777' "$T/out"
expect_line 'count: 41000$' "$tool_out"
expect_line '^Function = main\.\(\*Worker\)\.Do \[[0-9]+\]$' "$tool_out"
expect_no_line 'not counted' "$tool_err"

run "$BIN/funclatency" -l 1 "$program:main.nap"
expect_status 2
expect_line '-l counts the levels of a thread' "$tool_err"
