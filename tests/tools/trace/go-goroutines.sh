#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# A column with the goroutine: the same at entry and return of a call, different in each goroutine;
# empty in C.
need_command strip
source "$(dirname "$0")/../go.bash"
program=$T/crowd
build_go "$program" crowd.go
strip "$program"
run "$BIN/trace" --buffer 64M -g "$program:main.wait" "r:$program:main.wait \"%d\", retval" \
	"$program:main.main \"\"" --exec -- "$program"
expect_status 0
expect_line '^PID +TID +GOID +COMM +FUNC +-$' "$tool_out"
expect_line '^[0-9]+ +[0-9]+ +1 +crowd +main\.main( |$)' "$tool_out"
calls() { awk -v columns="$1" '$5 == "main.wait" && NF == columns { print $3 }' "$tool_out" | sort -u; }
expect_equal "$(calls 5 | wc -l)" 20000
expect_equal "$(calls 6)" "$(calls 5)"

run "$BIN/trace" --json -g "$program:main.main" "$program:main.wait (\$goid == 1) \"no\"" --exec -- "$program"
expect_status 0
expect_line '"tid":[0-9]+,"goid":1,"comm":"crowd","func":"main\.main"' "$tool_out"
expect_no_line '"func":"main\.wait"' "$tool_out"
run "$BIN/trace" --json -g "$TARGETS/flood:flood" --exec -- "$TARGETS/flood" 1 1
expect_status 0
expect_line '"tid":[0-9]+,"comm":"flood"' "$tool_out"
