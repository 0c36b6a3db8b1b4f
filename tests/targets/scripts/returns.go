// A Go program for the tests of returns. Results depend on the arguments, so that tests can check
// whether a return was matched with its own call: Do(id, n) = id + n, fall(n) = n, try(n) = -n (it
// recovers from a panic).
//
//	returns             calls everything once; ends with status 3
//	returns serve       calls until its stdin ends
package main

import (
	"fmt"
	"io/ioutil"
	"os"
	"runtime"
	"sync"
	"time"
)

type Worker struct{ zero int }

// Recurses so deep that Go moves the stack to a larger one. Meanwhile, the goroutine changes its
// thread.
//
//go:noinline
func (w *Worker) Do(id, n int) int {
	var frame [16]int
	frame[n%16] = 1
	if n%8 == 0 {
		runtime.Gosched()
	}
	if n == 0 {
		return id
	}
	below := w.Do(id, n-1)
	return below + frame[n%16] + w.zero
}

type Doer interface{ Do(id, n int) int }

// Go generates a Do() for it that jumps to the Do() of Worker.
type Wrapper struct{ *Worker }

//go:noinline
func fall(n int, panics bool) int {
	if n == 0 {
		if panics {
			panic("down")
		}
		return 0
	}
	return fall(n-1, panics) + 1
}

//go:noinline
func try(n int) (result int) {
	defer func() {
		if recover() != nil {
			result = -n
		}
	}()
	return fall(n, true)
}

//go:noinline
func quit(n int) int {
	if n == 0 {
		runtime.Goexit()
	}
	return quit(n-1) + 1
}

//go:noinline
func nap(milliseconds int) int {
	time.Sleep(time.Duration(milliseconds) * time.Millisecond)
	return milliseconds
}

//go:noinline
func large(n int) int {
	var frame [2000]int
	for i := range frame {
		frame[i] = n + i
	}
	return frame[n%2000] - n%2000
}

//go:noinline
func choose(n int) int {
	switch n {
	case 0:
		return 10
	case 1:
		return 11
	case 2:
		return nap(0) + 12
	case 3:
		return 13
	case 4:
		return nap(0) + 14
	case 5:
		return 15
	case 6:
		return 16
	case 7:
		return nap(0) + 17
	case 8:
		return 18
	}
	return 19
}

var garbage [1000][]byte

func each(count int, call func(int)) {
	var group sync.WaitGroup
	for i := 0; i < count; i++ {
		i := i
		group.Add(1)
		go func() {
			defer group.Done()
			call(i)
		}()
	}
	group.Wait()
}

func serve() {
	var doer Doer = &Wrapper{&Worker{}}
	ended := make(chan bool)
	go func() {
		ioutil.ReadAll(os.Stdin)
		close(ended)
	}()
	fmt.Println("ready")
	for {
		each(20, func(id int) {
			if doer.Do(id, 50) != id+50 || try(5) != -5 || large(id) != id {
				panic("wrong")
			}
		})
		select {
		case <-ended:
			fmt.Println("ended well")
			return
		default:
		}
	}
}

func main() {
	if len(os.Args) > 1 {
		serve()
		return
	}
	worker := &Worker{}
	sums := make([]int, 1000)
	each(1000, func(id int) {
		sums[id] = worker.Do(id, 40)
		garbage[id] = make([]byte, 1000)
	})
	each(20, func(i int) { sums[i] += try(i%7) + 2*fall(i%7, false) })
	total := 0
	for _, sum := range sums {
		total += sum
	}
	each(20, func(i int) { quit(i) })
	for i := 0; i < 10; i++ {
		total += choose(i) + large(i)
	}
	fmt.Println("total", total+nap(30))
	os.Exit(3)
}
