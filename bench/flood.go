// The traced program in Go; otherwise as flood.c:
//
//	flood CALLS [ROUNDS]
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

// Without a stack check, so that a tracer without support for Go probes the same instruction.
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
