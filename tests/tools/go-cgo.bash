# shellcheck shell=bash disable=SC2154 # lib.sh sets it
# Builds $T/cgo, a Go program that calls C functions, which call Go again. With an argument, it also
# calls a busy C function until it is killed. Source this file after lib.sh.
source "$ROOT/tests/tools/go.bash"
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
