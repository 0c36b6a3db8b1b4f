#!/bin/bash
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/go.bash"

# Calls that a panic leaves have no latency. That there were some is not denied.
need_command go
mkdir "$T/panic"
cat >"$T/panic/main.go" <<'GO'
package main

import "fmt"

//go:noinline
func fails(n int) int {
	if n >= 0 {
		panic("no")
	}
	return n
}

//go:noinline
func calls(n int) (result int) {
	defer func() { recover() }()
	return fails(n)
}

func main() {
	fmt.Println("ready")
	fmt.Scanln()
	for i := 0; i < 160; i++ {
		calls(i)
	}
	fmt.Println("done")
}
GO
(cd "$T/panic" && GO111MODULE=off GOCACHE="$T/cache" go build -o "$T/fails" .)
mkfifo "$T/input"
exec 8<>"$T/input"
stdin=$T/input start_target_and_wait "$T/fails"
run_tool funclatency "$T/fails:main.fails" -p "$target_pid"
echo >&8
stop_tool
expect_status 0
expect_line '^done$' "$target_out"
expect_line '^funclatency: no call was seen to return: a panic or an exception' "$tool_err"
expect_no_line 'nothing that was traced was called' "$tool_err"
