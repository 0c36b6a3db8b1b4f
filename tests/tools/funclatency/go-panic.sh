#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../go.bash"

# Calls that a panic abandons have no latency. Each is counted once: when another call takes its
# position on the goroutine's stack, even if that stack has moved, or at the end.
need_command go
mkdir "$T/panic"
cat >"$T/panic/main.go" <<'GO'
package main

import "fmt"

//go:noinline
func fails(n int) int {
	if n%4 == 0 {
		panic("no")
	}
	return fails(n - 1) + 1
}

// Its stack grows under its calls.
//
//go:noinline
func deep(n int) int {
	var room [512]byte
	room[n%512] = 1
	if n == 0 {
		return int(room[n])
	}
	return deep(n-1) + int(room[n%512])
}

//go:noinline
func calls(n int) (result int) {
	defer func() { recover() }()
	return fails(n)
}

func main() {
	fmt.Println("ready")
	fmt.Scanln()
	for i := 0; i < 160; i++ { // 400 calls: 1 to 4
		calls(i)
	}
	done := make(chan int)
	for i := 0; i < 20; i++ {
		go func() { done <- deep(99) }()
		<-done
	}
	fmt.Println("done")
}
GO
(cd "$T/panic" && go build -o "$T/fails" .)
mkfifo "$T/input"
exec 8<>"$T/input"
stdin=$T/input start_target_and_wait "$T/fails"
run_tool funclatency --json "$T/fails:main.fails" "$T/fails:main.deep" -p "$target_pid"
echo >&8
stop_tool
expect_status 0
expect_line '^done$' "$target_out"
expect_line '"count":2000,' "$tool_out"
expect_line '"left_otherwise":396,"tail_called":0,"open":4}$' "$tool_out"

stdin=$T/input start_target_and_wait "$T/fails"
run_tool funclatency "$T/fails:main.fails" -p "$target_pid"
echo >&8
stop_tool
expect_status 0
expect_line '^done$' "$target_out"
expect_line '^funclatency: 396 calls had no visible return: left by an exception, a panic,' "$tool_err"
expect_line '^funclatency: 4 calls had no visible return: left in another way, or under way when tracing ended$' "$tool_err"
expect_line '^funclatency: no call returned: a panic or an exception' "$tool_err"
expect_no_line 'none of the traced functions was called' "$tool_err"
