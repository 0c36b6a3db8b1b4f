// A Go program for the tests of names: functions, methods, closures, and a stack that grows.
package main

import (
	"fmt"
	"strings"
	"time"
)

type Server struct{ count int }

//go:noinline
func (s *Server) Do(name string, n int) int {
	s.count += n
	return s.count + len(name)
}

//go:noinline
func (s Server) Count() int { return s.count }

//go:noinline
func deep(n int) int {
	var big [64]int
	big[n%64] = n
	if n == 0 {
		return 0
	}
	return deep(n-1) + big[n%64]
}

//go:noinline
func double(n int) int { return 2 * n }

func main() {
	server := &Server{}
	fmt.Println("ready")
	for i := 1; i <= 3; i++ {
		server.Do(strings.Repeat("x", i), i)
		done := make(chan int)
		go func() { done <- deep(2000) + double(i) }()
		<-done
		time.Sleep(time.Millisecond)
	}
	fmt.Println(server.Count())
}
