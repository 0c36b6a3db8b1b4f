// A Go program for the tests of many calls at once: 20,000 goroutines are in wait() before the first may leave it.
package main

import (
	"fmt"
	"sync"
)

var entered, left sync.WaitGroup
var gate = make(chan bool)

//go:noinline
func inside() { entered.Done(); <-gate }

//go:noinline
func wait(name string) int {
	inside()
	return len(name)
}

func main() {
	const crowd = 20000
	entered.Add(crowd)
	left.Add(crowd)
	for i := 0; i < crowd; i++ {
		go func() {
			wait("someone")
			left.Done()
		}()
	}
	entered.Wait()
	close(gate)
	left.Wait()
	fmt.Println("all left")
}
