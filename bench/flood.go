// The traced program in Go. Like flood.c, it calls a function as fast as it can, and prints the
// nanoseconds per call in the fastest round:
//
//	flood CALLS [ROUNDS]
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

// nosplit omits the stack check at the beginning of the function. uscope probes Go functions after
// it, other tracers at the first instruction. Without it, all of them probe the same instruction.
//
//go:noinline
//go:nosplit
func work(number int, text string) int { return number + len(text) }

func main() {
	calls, _ := strconv.Atoi(os.Args[1])
	rounds := 1
	if len(os.Args) > 2 {
		rounds, _ = strconv.Atoi(os.Args[2])
	}
	best, sum := 0.0, 0
	for round := 0; round < rounds; round++ {
		start := time.Now()
		for i := 0; i < calls; i++ {
			sum += work(i, "the text of an event")
		}
		cost := float64(time.Since(start).Nanoseconds()) / float64(calls)
		if round == 0 || cost < best {
			best = cost
		}
	}
	fmt.Printf("%.2f\n", best)
}
