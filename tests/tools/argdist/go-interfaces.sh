#!/bin/bash
source "$(dirname "$0")/../../lib.sh"

# Counts the errors that a Go function returns: one row for errors with the same text.
source "$(dirname "$0")/../go.bash"
program=$T/interfaces
build_go "$program" interfaces.go -buildmode=pie
run_tool argdist -C "r:$program:main.failure():error:retval1" -C "p:$program:main.show():any:value:tail < 2"
"$program" >"$T/out"
"$program" >"$T/out"
stop_tool INT
expect_status 0
expect_line '^	2 +retval1 = a plain error$' "$tool_out"
expect_line '^	4 +retval1 = <nil>$' "$tool_out"
expect_line '^	2 +retval1 = &fs\.PathError\{Op:"open", \.\.\.\}$' "$tool_out"
expect_line '^	2 +retval1 = main\.Level\(9\)$' "$tool_out"
expect_equal "$(grep -c 'value = ' "$tool_out")" 2
expect_line '^	2 +value = 7$' "$tool_out"
