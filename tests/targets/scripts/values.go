// A Go program for the tests of arguments and results: values in registers, on the stack, and
// divided between registers.
package main

import (
	"errors"
	"fmt"
)

type Point struct {
	X, Y int
	Name string
}

type Server struct {
	hits int
	last *Point
	name string
}

//go:noinline
func greet(name string, times int, loud bool) string { return fmt.Sprint("hello ", name) }

//go:noinline
func raw(bytes []byte, tail byte) int { return len(bytes) }

//go:noinline
func mixed(a int8, f float64, b uint16, p Point, last int32) (int, error) {
	if a < 0 {
		return 0, errors.New("negative")
	}
	return int(b) + p.X, nil
}

type Sample struct {
	Value float64
	Half  float32
}

//go:noinline
func measure(s *Sample, two [2]float64) float64 { return s.Value + two[1] }

//go:noinline
func single(one [1]int, after string) int { return one[0] + len(after) }

//go:noinline
func twelve(n int) (a, b, c, d, e, f, g, h, i, j, k, l int) {
	return n, n, n, n, n, n, n, n, n, n, n + 10, n + 11
}

//go:noinline
func array(numbers [3]int, after string) int { return numbers[1] + len(after) }

//go:noinline
func many(a, b, c, d, e, f, g, h string) int { return len(a) + len(h) }

//go:noinline
func named(n int) (half int, text string, err error) { return n / 2, fmt.Sprint("half of ", n), nil }

//go:noinline
func (s *Server) Handle(p *Point, path string) int {
	s.hits++
	s.last = p
	return s.hits
}

//go:noinline
func (s Server) Show(prefix string) string { return prefix + s.name }

//go:noinline
func first[T any](list []T, what string) T { return list[0] }

func main() {
	server := &Server{name: "web"}
	fmt.Println(greet("Ann\x00B", 3, true), raw([]byte("one\ntwo"), 'z'))
	fmt.Println(mixed(-1, 0.5, 65535, Point{7, 8, "origin"}, -9))
	fmt.Println(mixed(1, 0.5, 65535, Point{7, 8, "origin"}, -9))
	fmt.Println(measure(&Sample{0.125, 2.5}, [2]float64{4.5, -1.5}))
	fmt.Println(array([3]int{4, 5, 6}, "behind"))
	fmt.Println(single([1]int{5}, "one"))
	fmt.Println(twelve(1))
	fmt.Println(many("a", "b", "c", "d", "e", "f", "g", "hhh"))
	fmt.Println(named(9))
	fmt.Println(server.Handle(&Point{1, 2, "here"}, "/index"), server.Show("is "))
	fmt.Println(first([]int{42}, "ints"), first([]string{"x"}, "strings"))
	func(text string) { fmt.Println(text, server.hits) }("closure")
}
