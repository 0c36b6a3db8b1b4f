#!/bin/bash
source "$(dirname "$0")/../lib.sh"

# Who called a Go function, as seen at its return: the same as at its entry. The caller is not lost, whose frame is the
# current one again there.
source "$(dirname "$0")/go.bash"
build_go "$T/returns" returns.go
stacks() { # PROBE
	run_tool stackcount -f "$1"
	"$T/returns" >"$T/printed"
	stop_tool INT
	expect_status 0
	sed -n 's/.*\(main\.main;main\.choose\) \([0-9]*\)$/\1 \2/p' "$tool_out"
}
expect_equal "$(stacks "p:$T/returns:main.choose")" 'main.main;main.choose 10'
expect_equal "$(stacks "r:$T/returns:main.choose")" 'main.main;main.choose 10'
