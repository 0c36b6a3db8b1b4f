// Calls main.tell from functions whose stacks are hard to walk. tell() prints the stack as Go's
// runtime sees it: an address and a name for each frame. Tests also take stacks at each instruction
// of main.framed, main.large and main.leaf. With an argument, only calls main.leaf, for that many
// milliseconds.
package main

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"sort"
	"strconv"
	"sync"
	"time"
)

var sum int

//go:noinline
func tell(what string) {
	pcs := make([]uintptr, 256)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	fmt.Println("told", what)
	for more := true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		if frame.Func != nil { // else it was inlined
			fmt.Printf("%x %s\n", frame.PC+1, frame.Func.Name())
		}
	}
}

// It has no stack frame.
//
//go:noinline
func leaf(n int) int {
	s := 1
	for i := 0; i < n; i++ {
		s += s ^ i
	}
	return s
}

//go:noinline
func framed(n int) int {
	a := leaf(n)
	tell("framed")
	return a + leaf(n+1)
}

//go:noinline
func large(n int) int {
	var room [2000]int
	room[n] = n
	tell("large")
	return room[leaf(n)&3]
}

//go:noinline
func caller(n int) int { return framed(n) + large(n) }

//go:noinline
func deep(n int) int {
	if n == 0 {
		tell("deep")
		return 1
	}
	return deep(n-1) + leaf(1)
}

//go:noinline
func deferring() {
	defer func() { tell("deferred") }()
	sum += leaf(2)
}

//go:noinline
func panicking() {
	defer func() {
		recover()
		tell("recovered")
	}()
	panic(errors.New("so"))
}

type shape interface{ area(int) int }
type square struct{ side int }

func (s *square) area(n int) int {
	tell("method")
	return s.side * n
}

type byTelling []int

func (b byTelling) Len() int      { return len(b) }
func (b byTelling) Swap(i, j int) { b[i], b[j] = b[j], b[i] }
func (b byTelling) Less(i, j int) bool {
	tell("less")
	return b[i] < b[j]
}

func call(s shape) int { return s.area(2) }

//go:noinline
func hot(until time.Time) {
	for time.Now().Before(until) {
		for i := 0; i < 10000; i++ {
			sum += leaf(10)
		}
	}
}

func main() {
	if len(os.Args) > 1 {
		ms, _ := strconv.Atoi(os.Args[1])
		fmt.Println("busy")
		hot(time.Now().Add(time.Duration(ms) * time.Millisecond))
		return
	}
	for i := 0; i < 2; i++ {
		sum += caller(3)
		sum += deep(60)
		deferring()
		panicking()
		sum += call(&square{3})
		sort.Sort(byTelling{2, 1})
		reflect.ValueOf(tell).Call([]reflect.Value{reflect.ValueOf("reflected")})
		var group sync.WaitGroup
		group.Add(1)
		go func() {
			defer group.Done()
			sum += deep(3)
		}()
		group.Wait()
		var once sync.Once
		once.Do(func() { tell("once") })
	}
	fmt.Println("sum", sum != 0)
}
