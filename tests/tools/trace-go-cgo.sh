#!/bin/bash
# timeout: 400
# alone: nearly all samples have to be whole
source "$(dirname "$0")/../lib.sh"

# Stacks go through C functions that Go calls, and that call Go again: each part has a stack of its own.
source "$(dirname "$0")/go.bash"
need_command gcc
debian_root trixie golang-1.24-go
mkdir "$T/program"
cat >"$T/program/main.go" <<'GO'
package main

/*
int spins(int n);
int through(int n);
*/
import "C"
import (
	"fmt"
	"os"
	"runtime"
)

//go:noinline
func tell() {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	fmt.Println("told")
	for more := true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		fmt.Println(frame.Function)
	}
}

//export goBack
func goBack(n C.int) C.int { tell(); return n + 1 }

//go:noinline
func outer(n int) int { return int(C.through(C.int(n))) }

//go:noinline
func spin() int { return int(C.spins(100000)) }

func main() {
	s := outer(1)
	for len(os.Args) > 1 {
		s += spin()
	}
	fmt.Println("end", outer(2) + s != 0)
}
GO
cat >"$T/program/c.c" <<'C'
extern int goBack(int);
int spins(int n) { volatile int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
int through(int n) { volatile int a = n; return goBack(a) + a; }
C
echo 'module program' >"$T/program/go.mod"
(cd "$T/program" && CC=gcc CXX=g++ CGO_ENABLED=1 GOROOT=$root/usr/lib/go-1.24 GOTOOLCHAIN=local GO111MODULE=auto \
	"$root/usr/lib/go-1.24/bin/go" build -gcflags=-l -o "$T/cgo" .)

run "$BIN/trace" -U "$T/cgo:main.tell" --exec -- "$T/cgo"
expect_status 0
expect_no_line 'cut' "$tool_out"
# What the runtime has, and the C functions between.
awk '/^told$/ { on = 1; next } /^(end|[0-9 ]|$)/ { on = 0 } on && $1 != "runtime.systemstack_switch"' "$tool_out" | sed '/^$/d' >"$T/wanted"
awk '/^  / { sub(/\+0x.*/, ""); sub(/\.abi0$/, ""); print $1 }' "$tool_out" | uniq >"$T/seen"
expect_equal "$(grep -vE '^(crosscall2|goBack|through|_cgo_.*|runtime\.asmcgocall)$' "$T/seen")" "$(cat "$T/wanted")"
expect_equal "$(grep -A 4 crosscall2 "$T/seen" | sed 's/_[0-9a-f]*_Cfunc/_Cfunc/' | xargs)" \
	"crosscall2 goBack through _cgo_Cfunc_through runtime.asmcgocall -- crosscall2 goBack through _cgo_Cfunc_through runtime.asmcgocall"

# In samples, too.
start_target_and_wait "$T/cgo" spin
run_tool profile -F 499 -U -f -p "$target_pid"
cpu_ms() { awk '{ print ($14 + $15) * 10 }' "/proc/$target_pid/stat"; }
wait_for "[ \"\$(cpu_ms)\" -ge $(($(cpu_ms) + 1500)) ]" 60
stop_tool INT
read -r all right < <(awk '/;spins [0-9]+$/ { all += $NF }
	/;main\.main;main\.spin;.*;runtime\.cgocall;runtime\.asmcgocall.*;spins [0-9]+$/ { right += $NF } END { print all + 0, right + 0 }' "$tool_out")
[ "$all" -ge 200 ] && [ $((right * 100 / all)) -ge 98 ] || fail "$right of $all"
stop_target KILL
